// Batch normalisation and dropout.
#include <cmath>

#include "kernels/execute.hpp"
#include "kernels/vector_units.hpp"

namespace simtrain {
namespace {

// Mean of squares of differences would need a second reading of the row from memory; it gets one: rows of a rank are
// long, and E[x^2] - E[x]^2 loses all digits when the mean is large.
float variance(const float* x, float mean, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  float lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes;
  const auto square = [mean](float value) { return (value - mean) * (value - mean); };
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += square(x[i + lane]);
  for (std::int64_t i = whole; i < count; ++i) lanes[i - whole] += square(x[i]);
  return sum(lanes, kLanes) / static_cast<float>(count);
}

// Sum of a[i] * (x[i] - mean).
float centred_product(const float* a, const float* x, float mean, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  float lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * (x[i + lane] - mean);
  for (std::int64_t i = whole; i < count; ++i) lanes[i - whole] += a[i] * (x[i] - mean);
  return sum(lanes, kLanes);
}

SIMTRAIN_VECTOR_UNITS void normalise(const BatchNormalisation& op, const Operands& operands) {
  const float* scales = operands[1].data;
  const float* shifts = scales + op.rows;
  const auto columns = static_cast<float>(op.columns);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* __restrict x = operands[0].data + row * op.columns;
    float* __restrict y = operands[2].data + row * op.columns;
    const float mean = sum(x, op.columns) / columns;
    const float inverse = 1.0F / std::sqrt(variance(x, mean, op.columns) + kNormalisationEpsilon);
    operands[3].data[row] = mean;
    operands[3].data[op.rows + row] = inverse;
    const float factor = scales[row] * inverse, shift = shifts[row];
    for (std::int64_t i = 0; i < op.columns; ++i) y[i] = factor * (x[i] - mean) + shift;
  }
}

// With x^ = (x - mean) * inverse: dscale = sum dy x^, dshift = sum dy, and
// dx = scale * inverse * (dy - dshift/n - x^ * dscale/n).
SIMTRAIN_VECTOR_UNITS void normalise_gradient(const BatchNormalisation& op, const Operands& operands) {
  const auto columns = static_cast<float>(op.columns);
  for (std::int64_t row = 0; row < op.rows; ++row) {
    const float* __restrict dy = operands[0].data + row * op.columns;
    const float* __restrict x = operands[1].data + row * op.columns;
    float* __restrict dx = operands[4].data + row * op.columns;
    const float mean = operands[2].data[row], inverse = operands[2].data[op.rows + row];
    const float shift_gradient = sum(dy, op.columns);
    const float scale_gradient = inverse * centred_product(dy, x, mean, op.columns);
    operands[5].data[row] = scale_gradient;
    operands[5].data[op.rows + row] = shift_gradient;
    const float factor = operands[3].data[row] * inverse, constant = shift_gradient / columns;
    const float slope = inverse * scale_gradient / columns;
    for (std::int64_t i = 0; i < op.columns; ++i) dx[i] = factor * (dy[i] - constant - slope * (x[i] - mean));
  }
}

}  // namespace

void execute_operation(const BatchNormalisation& op, const Operands& operands) {
  const std::int64_t elements = op.rows * op.columns, pair = 2 * op.rows;
  if (op.pass == NormalisationPass::forward) {
    require(operands, 0, elements);
    require(operands, 1, pair);
    require(operands, 2, elements);
    require(operands, 3, pair);
    normalise(op, operands);
  } else {
    for (const std::size_t i : {0U, 1U, 4U}) require(operands, i, elements);
    for (const std::size_t i : {2U, 3U, 5U}) require(operands, i, pair);
    normalise_gradient(op, operands);
  }
}

void execute_operation(const Dropout& op, const Operands& operands) {
  const std::int64_t elements = op.rows * op.samples * op.pixels;
  require(operands, 0, elements);
  require(operands, 1, elements);
  const float factor = 1.0F / (1.0F - op.probability);
  const std::int64_t row_features = op.row_features > 0 ? op.row_features : op.pixels;
  std::int64_t i = 0;
  for (std::int64_t row = 0; row < op.rows; ++row)
    for (std::int64_t sample = 0; sample < op.samples; ++sample)
      for (std::int64_t pixel = 0; pixel < op.pixels; ++pixel, ++i) {
        const bool kept = survives(op, op.first_sample + sample, op.first_feature + row * row_features + pixel);
        operands[1].data[i] = kept ? factor * operands[0].data[i] : 0.0F;
      }
}

}  // namespace simtrain
