// Pooling against its definition.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/blas_kernels.hpp"
#include "tests/support/kernel_buffers.hpp"

namespace simtrain {
namespace {

struct Shape {
  const char* name;
  std::int64_t planes, in_height, in_width, window, stride, padding;
  [[nodiscard]] std::int64_t out(std::int64_t in) const { return (in + 2 * padding - window) / stride + 1; }
  [[nodiscard]] Pooling pooling(PoolingKind kind, PoolingPass pass) const {
    return {kind, pass, planes, in_height, in_width, out(in_height), out(in_width), window, stride, padding};
  }
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class PoolingTest : public testing::TestWithParam<Shape> {
 protected:
  const Shape shape = GetParam();
  const std::int64_t inputs = shape.planes * shape.in_height * shape.in_width;
  const std::int64_t out_height = shape.out(shape.in_height), out_width = shape.out(shape.in_width);
  const std::int64_t outputs = shape.planes * out_height * out_width;
  Floats x = random_floats(inputs, 1), dy = random_floats(outputs, 2);

  // The input indices that output `o` sees, in reading order.
  [[nodiscard]] std::vector<std::size_t> window_of(std::int64_t o) const {
    const std::int64_t plane = o / (out_height * out_width), oy = o / out_width % out_height, ox = o % out_width;
    std::vector<std::size_t> seen;
    for (std::int64_t ky = 0; ky < shape.window; ++ky)
      for (std::int64_t kx = 0; kx < shape.window; ++kx) {
        const std::int64_t iy = oy * shape.stride + ky - shape.padding, ix = ox * shape.stride + kx - shape.padding;
        if (iy >= 0 && iy < shape.in_height && ix >= 0 && ix < shape.in_width)
          seen.push_back(static_cast<std::size_t>((plane * shape.in_height + iy) * shape.in_width + ix));
      }
    return seen;
  }
};

TEST_P(PoolingTest, MaxTakesTheFirstLargest) {
  for (float& value : x) value = static_cast<float>(static_cast<int>(4 * value));  // many equal values
  Floats y = garbage(outputs), dx = garbage(inputs), expected_y(y.size()), expected_dx(x.size());
  for (std::int64_t o = 0; o < outputs; ++o) {
    const std::vector<std::size_t> seen = window_of(o);
    std::size_t largest = seen.front();
    for (const std::size_t i : seen)
      if (x[i] > x[largest]) largest = i;
    expected_y[static_cast<std::size_t>(o)] = x[largest];
    expected_dx[largest] += dy[static_cast<std::size_t>(o)];
  }
  execute(shape.pooling(PoolingKind::max, PoolingPass::forward), {buffer(x), buffer(y)});
  EXPECT_EQ(y, expected_y);
  execute(shape.pooling(PoolingKind::max, PoolingPass::gradient), {buffer(dy), buffer(x), buffer(y), buffer(dx)});
  for (std::size_t i = 0; i < dx.size(); ++i) ASSERT_NEAR(dx[i], expected_dx[i], 1e-5) << i;
}

TEST_P(PoolingTest, AverageDividesByElementsInside) {
  Floats y = garbage(outputs), dx = garbage(inputs), unused;
  std::vector<double> expected_y(y.size()), expected_dx(x.size());
  for (std::int64_t o = 0; o < outputs; ++o) {
    const std::vector<std::size_t> seen = window_of(o);
    const auto at = static_cast<std::size_t>(o);
    for (const std::size_t i : seen) {
      expected_y[at] += static_cast<double>(x[i]) / static_cast<double>(seen.size());
      expected_dx[i] += static_cast<double>(dy[at]) / static_cast<double>(seen.size());
    }
  }
  execute(shape.pooling(PoolingKind::average, PoolingPass::forward), {buffer(x), buffer(y)});
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected_y[i], 1e-5) << i;
  execute(shape.pooling(PoolingKind::average, PoolingPass::gradient),
          {buffer(dy), buffer(unused), buffer(unused), buffer(dx)});
  for (std::size_t i = 0; i < dx.size(); ++i) ASSERT_NEAR(dx[i], expected_dx[i], 1e-5) << i;
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, PoolingTest,
    testing::Values(Shape{"AlexNet's", 3, 27, 27, 3, 2, 0}, Shape{"side by side", 2, 8, 6, 2, 2, 0},
                    Shape{"pixels left over", 2, 9, 10, 2, 3, 0}, Shape{"padding", 2, 7, 5, 3, 2, 1},
                    Shape{"window of one", 2, 3, 4, 1, 1, 0}, Shape{"the whole plane", 3, 5, 5, 5, 1, 0},
                    Shape{"rows longer than a block", 1, 3, 700, 3, 1, 1}, Shape{"no planes", 0, 4, 4, 2, 2, 0}));

TEST(MaxPooling, NegativeValuesBesidePadding) {
  Floats x{-3, -2, -5, -4}, y = garbage(4);
  execute(Pooling{PoolingKind::max, PoolingPass::forward, 1, 2, 2, 2, 2, 3, 2, 1}, {buffer(x), buffer(y)});
  EXPECT_EQ(y[0], -2);  // padding is not a zero that would win
}

}  // namespace
}  // namespace simtrain
