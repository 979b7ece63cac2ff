// Convolution as im2col + GEMM, per chunk of samples and per group. The calls made here are exactly those that
// for_each_call lists (kernels/operation.cpp).
//
// Rows of the activations are channels with samples*pixels columns, so that a chunk of samples is a range of columns
// and needs no copy: its leading dimension is samples*pixels.
#include <algorithm>

#include "base/error.hpp"
#include "kernels/execute.hpp"

namespace simtrain {
namespace {

// One chunk of samples and one group: where its parts of the operands begin.
struct Part {
  std::int64_t group, filters;
  std::int64_t first_sample, samples;
  std::int64_t filter_row;  // of the group's first filter, among the operation's filters

  // Offsets in floats. g: with all output rows.
  [[nodiscard]] std::int64_t weights(const ConvolutionGeometry& g) const { return filter_row * g.patch(); }
  [[nodiscard]] std::int64_t output(const ConvolutionGeometry& g, std::int64_t all_samples) const {
    return (filter_row * all_samples + first_sample) * g.out_pixels();
  }
  [[nodiscard]] std::int64_t input(const ConvolutionGeometry& g, std::int64_t all_samples) const {
    return (group * (g.in_channels / g.groups) * all_samples + first_sample) * g.in_height * g.in_width;
  }
};

template <typename Visit>
void for_each_part(const Convolution& op, const Visit& visit) {
  if (op.samples == 0 || op.computed().out_pixels() == 0) return;
  const std::int64_t chunk = samples_per_chunk(op.computed(), op.samples);
  for (std::int64_t sample = 0; sample < op.samples; sample += chunk)
    for (std::int64_t group = 0; group < op.geometry.groups; ++group)
      if (const FilterRange filters = filters_in_group(op, group); filters.count > 0)
        visit(
            Part{group, filters.count, sample, std::min(chunk, op.samples - sample), filters.first - op.first_filter});
}

struct Sizes {  // floats
  std::int64_t input, output, weights, channel_stride, output_leading;
};

Sizes sizes_of(const Convolution& op) {
  const ConvolutionGeometry& g = op.geometry;
  SIMTRAIN_INVARIANT(g.in_channels % g.groups == 0 && g.out_channels % g.groups == 0, "groups must divide channels");
  SIMTRAIN_INVARIANT(op.first_filter >= 0 && op.first_filter + op.filters <= g.out_channels,
                     "filters " + std::to_string(op.first_filter) + " + " + std::to_string(op.filters) + " of " +
                         std::to_string(g.out_channels));
  SIMTRAIN_INVARIANT(!op.partial() || (op.pass == ConvolutionPass::forward && op.first_row >= 0 && op.rows >= 0 &&
                                       op.first_row + op.rows <= g.out_height),
                     "output rows " + std::to_string(op.first_row) + " + " + std::to_string(op.rows) + " of " +
                         std::to_string(g.out_height));
  const std::int64_t channel_stride = op.samples * g.in_height * g.in_width;
  const std::int64_t output_leading = op.samples * g.out_pixels();
  return {g.in_channels * channel_stride, op.filters * output_leading, op.filters * g.patch(), channel_stride,
          output_leading};
}

// The products of a part, filters x (samples of some rows), to those rows of Y.
void place_rows(const Convolution& op, const Part& part, const Sizes& sizes, const float* products, float* y) {
  const ConvolutionGeometry& g = op.geometry;
  const std::int64_t run = op.rows * g.out_width;
  for (std::int64_t filter = 0; filter < part.filters; ++filter)
    for (std::int64_t sample = 0; sample < part.samples; ++sample)
      std::copy_n(products + (filter * part.samples + sample) * run, run,
                  y + part.output(g, op.samples) + filter * sizes.output_leading + sample * g.out_pixels() +
                      op.first_row * g.out_width);
}

// Y (filters x columns) = W (filters x patch) * im2col(X) (patch x columns)
void forward(const Convolution& op, const Sizes& sizes, const float* x, const float* w, float* y, float* matrix) {
  const ConvolutionGeometry g = op.computed();
  for_each_part(op, [&](const Part& part) {
    const std::int64_t columns = part.samples * g.out_pixels();
    im2col(g, x + part.input(g, op.samples), sizes.channel_stride, part.samples, matrix);
    float* products = op.partial() ? matrix + g.patch() * columns : y + part.output(g, op.samples);
    matrix_product(Transposition::nn, part.filters, columns, g.patch(), {w + part.weights(g), g.patch()},
                   {matrix, columns}, 0.0F, products, op.partial() ? columns : sizes.output_leading);
    if (op.partial()) place_rows(op, part, sizes, products, y);
  });
}

// dX = col2im( W^T (patch x filters) * dY (filters x columns) ); zero for groups without a filter of ours
void data_gradient(const Convolution& op, const Sizes& sizes, const float* dy, const float* w, float* dx,
                   float* matrix) {
  const ConvolutionGeometry& g = op.geometry;
  const std::int64_t group_input = sizes.input / g.groups;
  for (std::int64_t group = 0; group < g.groups; ++group)
    if (filters_in_group(op, group).count == 0 || g.out_pixels() == 0)
      std::fill_n(dx + group * group_input, group_input, 0.0F);
  for_each_part(op, [&](const Part& part) {
    const std::int64_t columns = part.samples * g.out_pixels();
    matrix_product(Transposition::tn, g.patch(), columns, part.filters, {w + part.weights(g), g.patch()},
                   {dy + part.output(g, op.samples), sizes.output_leading}, 0.0F, matrix, columns);
    col2im(g, matrix, part.samples, dx + part.input(g, op.samples), sizes.channel_stride);
  });
}

// dW (filters x patch) = sum over chunks of dY (filters x columns) * im2col(X)^T (columns x patch)
void weight_gradient(const Convolution& op, const Sizes& sizes, const float* dy, const float* x, float* dw,
                     float* matrix) {
  const ConvolutionGeometry& g = op.geometry;
  if (op.samples == 0 || g.out_pixels() == 0) std::fill_n(dw, sizes.weights, 0.0F);
  for_each_part(op, [&](const Part& part) {
    const std::int64_t columns = part.samples * g.out_pixels();
    im2col(g, x + part.input(g, op.samples), sizes.channel_stride, part.samples, matrix);
    matrix_product(Transposition::nt, part.filters, g.patch(), columns,
                   {dy + part.output(g, op.samples), sizes.output_leading}, {matrix, columns},
                   part.first_sample == 0 ? 0.0F : 1.0F, dw + part.weights(g), g.patch());
  });
}

}  // namespace

void execute_operation(const Convolution& op, const Operands& operands) {
  const Sizes sizes = sizes_of(op);
  require(operands, 3, workspace_floats(op));
  const Buffer &first = operands[0], &second = operands[1], &result = operands[2], &matrix = operands[3];
  switch (op.pass) {
    case ConvolutionPass::forward:
      require(operands, 0, sizes.input);
      require(operands, 1, sizes.weights);
      require(operands, 2, sizes.output);
      return forward(op, sizes, first.data, second.data, result.data, matrix.data);
    case ConvolutionPass::data_gradient:
      require(operands, 0, sizes.output);
      require(operands, 1, sizes.weights);
      require(operands, 2, sizes.input);
      return data_gradient(op, sizes, first.data, second.data, result.data, matrix.data);
    case ConvolutionPass::weight_gradient:
      require(operands, 0, sizes.output);
      require(operands, 1, sizes.input);
      require(operands, 2, sizes.weights);
      return weight_gradient(op, sizes, first.data, second.data, result.data, matrix.data);
  }
}

}  // namespace simtrain
