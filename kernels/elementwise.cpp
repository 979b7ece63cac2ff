// Loops over elements, written so that g++ -O3 vectorises them. Where an output may be an input (the same index at each
// step), `ivdep` says so: __restrict would be a lie, and without either the compiler falls back to scalar code.
#include <algorithm>

#include "kernels/execute.hpp"
#include "kernels/vector_units.hpp"

namespace simtrain {
namespace {

SIMTRAIN_VECTOR_UNITS void relu(const float* x, float* y, std::int64_t count) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] > 0.0F ? x[i] : 0.0F;
}

SIMTRAIN_VECTOR_UNITS void relu_gradient(const float* dy, const float* y, float* dx, std::int64_t count) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) dx[i] = y[i] > 0.0F ? dy[i] : 0.0F;
}

SIMTRAIN_VECTOR_UNITS void add(const float* __restrict x, float* __restrict y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += x[i];
}

SIMTRAIN_VECTOR_UNITS void add_constant(float constant, float* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += constant;
}

SIMTRAIN_VECTOR_UNITS void update(const Update& op, const float* __restrict dw, float* __restrict w) {
  for (std::int64_t i = 0; i < op.count; ++i) w[i] -= op.learning_rate * (dw[i] + op.weight_decay * w[i]);
}

SIMTRAIN_VECTOR_UNITS void update_with_momentum(const Update& op, const float* __restrict dw, float* __restrict w,
                                                float* __restrict v) {
  for (std::int64_t i = 0; i < op.count; ++i) {
    v[i] = op.momentum * v[i] + (dw[i] + op.weight_decay * w[i]);
    w[i] -= op.learning_rate * v[i];
  }
}

// out (columns x rows) = in (rows x columns) transposed, in tiles that stay in the first-level cache.
SIMTRAIN_VECTOR_UNITS void transpose(const float* __restrict in, std::int64_t rows, std::int64_t columns,
                                     float* __restrict out) {
  constexpr std::int64_t kTile = 32;
  for (std::int64_t r0 = 0; r0 < rows; r0 += kTile)
    for (std::int64_t c0 = 0; c0 < columns; c0 += kTile)
      for (std::int64_t c = c0; c < std::min(c0 + kTile, columns); ++c)
        for (std::int64_t r = r0; r < std::min(r0 + kTile, rows); ++r) out[c * rows + r] = in[r * columns + c];
}

}  // namespace

// A plain float sum is a chain that the compiler must not reorder; sixteen partial sums may run side by side, and are
// more accurate as well.
SIMTRAIN_VECTOR_UNITS float sum(const float* x, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  float lanes[kLanes] = {};
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes)
    for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane];
  for (std::int64_t i = whole; i < count; ++i) lanes[i - whole] += x[i];
  float total = 0.0F;
  for (const float lane : lanes) total += lane;
  return total;
}

void execute_operation(const ElementwiseOp& op, const Operands& operands) {
  const std::size_t last = op.kind == Elementwise::relu_gradient ? 2 : 1;
  for (std::size_t i = 0; i <= last; ++i) require(operands, i, op.count);
  for (std::int64_t time = 0; time < op.times; ++time) switch (op.kind) {
      case Elementwise::relu:
        relu(operands[0].data, operands[1].data, op.count);
        break;
      case Elementwise::relu_gradient:
        relu_gradient(operands[0].data, operands[1].data, operands[2].data, op.count);
        break;
      case Elementwise::add:
        add(operands[0].data, operands[1].data, op.count);
        break;
    }
}

void execute_operation(const BiasForward& op, const Operands& operands) {
  require(operands, 0, op.rows);
  require(operands, 1, op.rows * op.columns);
  for (std::int64_t row = 0; row < op.rows; ++row)
    add_constant(operands[0].data[row], operands[1].data + row * op.columns, op.columns);
}

void execute_operation(const BiasGradient& op, const Operands& operands) {
  require(operands, 0, op.rows * op.columns);
  require(operands, 1, op.rows);
  for (std::int64_t row = 0; row < op.rows; ++row)
    operands[1].data[row] = sum(operands[0].data + row * op.columns, op.columns);
}

void execute_operation(const Flatten& op, const Operands& operands) {
  const std::int64_t plane = op.samples * op.pixels;
  require(operands, 0, op.channels * plane);
  require(operands, 1, op.channels * plane);
  const bool forward = op.direction == FlattenDirection::forward;
  for (std::int64_t channel = 0; channel < op.channels; ++channel)
    transpose(operands[0].data + channel * plane, forward ? op.samples : op.pixels, forward ? op.pixels : op.samples,
              operands[1].data + channel * plane);
}

void execute_operation(const CopyBlock& op, const Operands& operands) {
  if (op.planes == 0 || op.rows == 0 || op.run == 0) return;
  require(operands, 0, (op.planes - 1) * op.from_plane + (op.rows - 1) * op.from_stride + op.run);
  require(operands, 1, (op.planes - 1) * op.to_plane + (op.rows - 1) * op.to_stride + op.run);
  for (std::int64_t plane = 0; plane < op.planes; ++plane)
    for (std::int64_t row = 0; row < op.rows; ++row) {
      const float* from = operands[0].data + plane * op.from_plane + row * op.from_stride;
      float* to = operands[1].data + plane * op.to_plane + row * op.to_stride;
      if (op.add)
        add(from, to, op.run);
      else
        std::copy_n(from, op.run, to);
    }
}

void execute_operation(const Clear& op, const Operands& operands) {
  require(operands, 0, op.count);
  std::fill_n(operands[0].data, op.count, 0.0F);
}

void execute_operation(const Update& op, const Operands& operands) {
  require(operands, 0, op.count);
  require(operands, 1, op.count);
  if (op.momentum == 0.0F) return update(op, operands[0].data, operands[1].data);
  require(operands, 2, op.count);
  update_with_momentum(op, operands[0].data, operands[1].data, operands[2].data);
}

}  // namespace simtrain
