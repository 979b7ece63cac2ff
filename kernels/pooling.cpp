// Pooling goes through the positions of the window rather than through the outputs: for one position and one row of
// outputs, the outputs that see a pixel of the image are a range (kernels/window.hpp) and the loop over it vectorises
// and takes the same time whatever the data.
#include <algorithm>
#include <bit>
#include <limits>

#include "base/error.hpp"
#include "kernels/execute.hpp"
#include "kernels/vector_units.hpp"
#include "kernels/window.hpp"

namespace simtrain {
namespace {

// Outputs of a row are done in blocks, so that what is known about each fits on the stack.
constexpr std::int64_t kBlock = 256;

// visit(x, range) for each position of the window over the outputs [block.first, block.end) of row oy: output
// range.first sees element *x of the plane, the next one *(x + stride). Row by row, as "first largest" demands.
template <typename Visit>
void for_each_position(const Pooling& op, std::int64_t oy, OutputRange block, const Visit& visit) {
  for (std::int64_t ky = 0; ky < op.window; ++ky) {
    const std::int64_t iy = oy * op.stride + ky - op.padding + op.row_shift;
    if (iy < 0 || iy >= op.in_height) continue;
    for (std::int64_t kx = 0; kx < op.window; ++kx) {
      const OutputRange inside = outputs_inside(op.out_width, op.in_width, op.stride, kx - op.padding);
      const OutputRange range{std::max(inside.first, block.first), std::min(inside.end, block.end)};
      if (range.first < range.end) visit(iy * op.in_width + range.first * op.stride + kx - op.padding, range);
    }
  }
}

// visit(plane, oy, block) for every block of outputs.
template <typename Visit>
void for_each_block(const Pooling& op, const Visit& visit) {
  for (std::int64_t plane = 0; plane < op.planes; ++plane)
    for (std::int64_t oy = 0; oy < op.out_height; ++oy)
      for (std::int64_t ox = 0; ox < op.out_width; ox += kBlock)
        visit(plane, oy, OutputRange{ox, std::min(ox + kBlock, op.out_width)});
}

SIMTRAIN_VECTOR_UNITS void max_forward(const Pooling& op, const float* __restrict x, float* __restrict y) {
  const std::int64_t in_pixels = op.in_height * op.in_width;
  for_each_block(op, [&](std::int64_t plane, std::int64_t oy, OutputRange block) {
    float* row = y + (plane * op.out_height + oy) * op.out_width;
    std::fill(row + block.first, row + block.end, -std::numeric_limits<float>::infinity());
    for_each_position(op, oy, block, [&](std::int64_t pixel, OutputRange range) {
      const float* in = x + plane * in_pixels + pixel;
      float* out = row + range.first;
      for (std::int64_t i = 0; i < range.end - range.first; ++i) {
        const float value = in[i * op.stride];
        out[i] = value > out[i] ? value : out[i];
      }
    });
  });
}

// value, or 0. A conditional expression would become a branch that is right three times out of four.
float kept_if(bool condition, float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & (condition ? 0xFFFFFFFFU : 0U));
}

SIMTRAIN_VECTOR_UNITS void max_gradient(const Pooling& op, const float* dy, const float* x, const float* y, float* dx) {
  const std::int64_t in_pixels = op.in_height * op.in_width;
  std::fill_n(dx, op.planes * in_pixels, 0.0F);
  for_each_block(op, [&](std::int64_t plane, std::int64_t oy, OutputRange block) {
    const std::int64_t row = (plane * op.out_height + oy) * op.out_width;
    float pending[kBlock];  // dY of the outputs whose largest element has not been met yet, else 0
    std::copy(dy + row + block.first, dy + row + block.end, pending);
    for_each_position(op, oy, block, [&](std::int64_t pixel, OutputRange range) {
      const float* __restrict in = x + plane * in_pixels + pixel;
      float* __restrict out = dx + plane * in_pixels + pixel;
      const float* __restrict largest = y + row + range.first;
      float* __restrict left = pending + (range.first - block.first);
      for (std::int64_t i = 0; i < range.end - range.first; ++i) {
        const float gradient = kept_if(in[i * op.stride] == largest[i], left[i]);
        out[i * op.stride] += gradient;
        left[i] -= gradient;
      }
    });
  });
}

// Elements of a window that lie inside an image side of `inputs`.
std::int64_t elements_inside(const Pooling& op, std::int64_t first, std::int64_t inputs) {
  return std::min(first + op.window, inputs) - std::max<std::int64_t>(first, 0);
}

float share(const Pooling& op, std::int64_t oy, std::int64_t ox) {
  const std::int64_t row = oy * op.stride - op.padding + op.row_shift, column = ox * op.stride - op.padding;
  return 1.0F / static_cast<float>(elements_inside(op, row, op.in_height) * elements_inside(op, column, op.in_width));
}

SIMTRAIN_VECTOR_UNITS void average_forward(const Pooling& op, const float* __restrict x, float* __restrict y) {
  const std::int64_t in_pixels = op.in_height * op.in_width;
  for_each_block(op, [&](std::int64_t plane, std::int64_t oy, OutputRange block) {
    float* row = y + (plane * op.out_height + oy) * op.out_width;
    std::fill(row + block.first, row + block.end, 0.0F);
    for_each_position(op, oy, block, [&](std::int64_t pixel, OutputRange range) {
      const float* in = x + plane * in_pixels + pixel;
      for (std::int64_t i = 0; i < range.end - range.first; ++i) row[range.first + i] += in[i * op.stride];
    });
    for (std::int64_t ox = block.first; ox < block.end; ++ox) row[ox] *= share(op, oy, ox);
  });
}

SIMTRAIN_VECTOR_UNITS void average_gradient(const Pooling& op, const float* dy, float* dx) {
  const std::int64_t in_pixels = op.in_height * op.in_width;
  std::fill_n(dx, op.planes * in_pixels, 0.0F);
  for_each_block(op, [&](std::int64_t plane, std::int64_t oy, OutputRange block) {
    const float* row = dy + (plane * op.out_height + oy) * op.out_width;
    float shares[kBlock];
    for (std::int64_t ox = block.first; ox < block.end; ++ox) shares[ox - block.first] = row[ox] * share(op, oy, ox);
    for_each_position(op, oy, block, [&](std::int64_t pixel, OutputRange range) {
      const float* __restrict in = shares + (range.first - block.first);
      float* __restrict out = dx + plane * in_pixels + pixel;
      for (std::int64_t i = 0; i < range.end - range.first; ++i) out[i * op.stride] += in[i];
    });
  });
}

void check(const Pooling& op) {
  const auto sees_image = [&](std::int64_t outputs, std::int64_t inputs, std::int64_t shift) {
    return outputs == 0 || (outputs - 1) * op.stride - op.padding + shift < inputs;
  };
  SIMTRAIN_INVARIANT(op.padding < op.window && sees_image(op.out_height, op.in_height, op.row_shift) &&
                         sees_image(op.out_width, op.in_width, 0),
                     "a pooling window without a pixel: window " + std::to_string(op.window) + ", padding " +
                         std::to_string(op.padding));
}

}  // namespace

void execute_operation(const Pooling& op, const Operands& operands) {
  check(op);
  const std::int64_t inputs = op.planes * op.in_height * op.in_width;
  const std::int64_t outputs = op.planes * op.out_height * op.out_width;
  const bool max = op.kind == PoolingKind::max;
  if (op.pass == PoolingPass::forward) {
    require(operands, 0, inputs);
    require(operands, 1, outputs);
    return (max ? max_forward : average_forward)(op, operands[0].data, operands[1].data);
  }
  require(operands, 0, outputs);
  require(operands, 3, inputs);
  if (!max) return average_gradient(op, operands[0].data, operands[3].data);
  require(operands, 1, inputs);
  require(operands, 2, outputs);
  max_gradient(op, operands[0].data, operands[1].data, operands[2].data, operands[3].data);
}

}  // namespace simtrain
