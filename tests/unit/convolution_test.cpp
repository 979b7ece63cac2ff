// Convolution against its definition: seven loops over images, in double.
#include <gtest/gtest.h>

#include "kernels/blas_kernels.hpp"
#include "kernels/execute.hpp"
#include "tests/support/kernel_buffers.hpp"

namespace simtrain {
namespace {

struct Case {
  const char* name;
  ConvolutionGeometry geometry;
  std::int64_t first_filter, filters, samples;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

ConvolutionGeometry geometry(std::int64_t in_channels, std::int64_t in_height, std::int64_t in_width,
                             std::int64_t out_channels, std::int64_t kernel_height, std::int64_t kernel_width,
                             std::int64_t stride, std::int64_t padding, std::int64_t groups) {
  const auto outputs = [&](std::int64_t in, std::int64_t kernel) { return (in + 2 * padding - kernel) / stride + 1; };
  return {in_channels,
          in_height,
          in_width,
          out_channels,
          outputs(in_height, kernel_height),
          outputs(in_width, kernel_width),
          kernel_height,
          kernel_width,
          stride,
          padding,
          groups};
}

// Calls visit(y, x, w) with the index of an output element, and of an input element and weight that contribute to it.
template <typename Visit>
void for_each_contribution(const Case& one, const Visit& visit) {
  const ConvolutionGeometry& g = one.geometry;
  const std::int64_t group_in = g.in_channels / g.groups, group_out = g.out_channels / g.groups;
  for (std::int64_t f = 0; f < one.filters; ++f)
    for (std::int64_t s = 0; s < one.samples; ++s)
      for (std::int64_t oy = 0; oy < g.out_height; ++oy)
        for (std::int64_t ox = 0; ox < g.out_width; ++ox)
          for (std::int64_t c = 0; c < group_in; ++c)
            for (std::int64_t ky = 0; ky < g.kernel_height; ++ky)
              for (std::int64_t kx = 0; kx < g.kernel_width; ++kx) {
                const std::int64_t iy = oy * g.stride + ky - g.padding, ix = ox * g.stride + kx - g.padding;
                if (iy < 0 || iy >= g.in_height || ix < 0 || ix >= g.in_width) continue;
                const std::int64_t channel = (one.first_filter + f) / group_out * group_in + c;
                visit(static_cast<std::size_t>(((f * one.samples + s) * g.out_height + oy) * g.out_width + ox),
                      static_cast<std::size_t>(((channel * one.samples + s) * g.in_height + iy) * g.in_width + ix),
                      static_cast<std::size_t>(((f * group_in + c) * g.kernel_height + ky) * g.kernel_width + kx));
              }
}

class ConvolutionTest : public testing::TestWithParam<Case> {
 protected:
  const Case one = GetParam();
  const ConvolutionGeometry& g = one.geometry;
  const std::int64_t inputs = g.in_channels * one.samples * g.in_height * g.in_width;
  const std::int64_t outputs = one.filters * one.samples * g.out_pixels();
  const std::int64_t weights = one.filters * g.patch();
  Floats x = random_floats(inputs, 1), w = random_floats(weights, 2), dy = random_floats(outputs, 3);

  // Runs the pass on the operands; the workspace is exactly as long as promised, with a guard behind it.
  void run(ConvolutionPass pass, Floats& first, Floats& second, Floats& result) {
    const Convolution op{pass, g, one.first_filter, one.filters, one.samples};
    Floats workspace = garbage(workspace_floats(op) + 1);
    Buffer matrix = buffer(workspace);
    --matrix.count;
    execute(op, {buffer(first), buffer(second), buffer(result), matrix});
    EXPECT_EQ(workspace.back(), 12345.0F);
  }

  static void expect_near(const Floats& computed, const std::vector<double>& expected) {
    ASSERT_EQ(computed.size(), expected.size());
    for (std::size_t i = 0; i < computed.size(); ++i)
      ASSERT_NEAR(computed[i], expected[i], 2e-4 + 1e-5 * std::abs(expected[i])) << "element " << i;
  }
};

TEST_P(ConvolutionTest, Forward) {
  std::vector<double> expected(static_cast<std::size_t>(outputs));
  for_each_contribution(one, [&](std::size_t iy, std::size_t ix, std::size_t iw) {
    expected[iy] += static_cast<double>(x[ix]) * static_cast<double>(w[iw]);
  });
  Floats y = garbage(outputs);
  run(ConvolutionPass::forward, x, w, y);
  expect_near(y, expected);
}

TEST_P(ConvolutionTest, DataGradient) {
  std::vector<double> expected(static_cast<std::size_t>(inputs));
  for_each_contribution(one, [&](std::size_t iy, std::size_t ix, std::size_t iw) {
    expected[ix] += static_cast<double>(dy[iy]) * static_cast<double>(w[iw]);
  });
  Floats dx = garbage(inputs);
  run(ConvolutionPass::data_gradient, dy, w, dx);
  expect_near(dx, expected);
}

TEST_P(ConvolutionTest, WeightGradient) {
  std::vector<double> expected(static_cast<std::size_t>(weights));
  for_each_contribution(one, [&](std::size_t iy, std::size_t ix, std::size_t iw) {
    expected[iw] += static_cast<double>(dy[iy]) * static_cast<double>(x[ix]);
  });
  Floats dw = garbage(weights);
  run(ConvolutionPass::weight_gradient, dy, x, dw);
  expect_near(dw, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ConvolutionTest,
    testing::Values(Case{"plain", geometry(3, 7, 9, 4, 3, 3, 1, 0, 1), 0, 4, 2},
                    Case{"padding wider than a row", geometry(1, 2, 2, 2, 5, 5, 1, 2, 1), 0, 2, 3},
                    Case{"stride that leaves pixels over", geometry(3, 12, 11, 5, 5, 3, 4, 0, 1), 0, 5, 3},
                    Case{"stride with padding", geometry(2, 9, 8, 3, 3, 5, 2, 2, 1), 0, 3, 2},
                    Case{"1x1", geometry(5, 3, 4, 6, 1, 1, 1, 0, 1), 0, 6, 2},
                    Case{"the whole image", geometry(3, 4, 5, 2, 4, 5, 1, 0, 1), 0, 2, 3},
                    Case{"groups", geometry(6, 5, 5, 9, 3, 3, 1, 1, 3), 0, 9, 2},
                    Case{"depthwise", geometry(4, 5, 6, 4, 3, 3, 1, 1, 4), 1, 2, 2},
                    Case{"filters in the middle of groups", geometry(6, 5, 5, 12, 3, 3, 1, 1, 3), 2, 7, 2},
                    Case{"filters of the last group only", geometry(4, 5, 5, 6, 3, 3, 1, 1, 2), 4, 2, 2},
                    Case{"no filters", geometry(4, 5, 5, 6, 3, 3, 1, 1, 2), 3, 0, 2},
                    Case{"no samples", geometry(4, 5, 5, 6, 3, 3, 1, 1, 2), 0, 6, 0},
                    // 96*9*1024*4 B a sample = 3.4 MiB: each is a chunk. 32*9*64*4 B = 72 KiB a sample: 56 a chunk.
                    Case{"a sample a chunk", geometry(96, 32, 32, 2, 3, 3, 1, 1, 1), 0, 2, 3},
                    Case{"chunks with a rest", geometry(64, 8, 8, 6, 3, 3, 1, 1, 2), 2, 3, 130},
                    // More than a chunk may hold: still one sample.
                    Case{"a sample larger than a chunk", geometry(160, 32, 32, 1, 3, 3, 1, 1, 1), 0, 1, 2}));

TEST(Im2col, SmallExampleByHand) {
  // 1 channel, 2 x 3 pixels, window 2 x 2, stride 1, padding 0: outputs 1 x 2.
  const ConvolutionGeometry g = geometry(1, 2, 3, 1, 2, 2, 1, 0, 1);
  const Floats image{1, 2, 3, 4, 5, 6};
  Floats matrix = garbage(8), back = garbage(6);
  im2col(g, image.data(), 6, 1, matrix.data());
  EXPECT_EQ(matrix, (Floats{1, 2, 2, 3, 4, 5, 5, 6}));
  col2im(g, matrix.data(), 1, back.data(), 6);
  EXPECT_EQ(back, (Floats{1, 2 * 2, 3, 4, 2 * 5, 6}));  // the middle column was seen twice
}

TEST(SamplesPerChunk, FillsTheMatrixButNotMore) {
  const ConvolutionGeometry g = geometry(64, 8, 8, 6, 3, 3, 1, 1, 2);  // 288 * 64 * 4 B = 72 KiB a sample
  EXPECT_EQ(samples_per_chunk(g, 1000), 4096 / 72);
  EXPECT_EQ(samples_per_chunk(g, 10), 10);
  EXPECT_EQ(samples_per_chunk(g, 0), 0);
  EXPECT_EQ(samples_per_chunk(geometry(160, 32, 32, 1, 3, 3, 1, 1, 1), 5), 1);
}

}  // namespace
}  // namespace simtrain
