// What for_each_call says an operation is made of: against what execute() really calls, and against formulas.
//
// The linker takes cblas_sgemm, im2col and col2im from this file rather than from the libraries: they count.
#include <cblas.h>
#include <gtest/gtest.h>

#include <map>
#include <ostream>

#include "kernels/blas_kernels.hpp"
#include "kernels/execute.hpp"
#include "tests/support/kernel_buffers.hpp"

namespace simtrain {
namespace {

using Shape = std::tuple<Kernel, std::int64_t, std::int64_t, std::int64_t>;
using Counts = std::map<Shape, std::int64_t>;
Counts made;

}  // namespace

void im2col(const ConvolutionGeometry& g, const float*, std::int64_t, std::int64_t samples, float*) {
  ++made[{Kernel::im2col, g.patch() * g.out_pixels() * samples, g.out_width, g.stride}];
}

void col2im(const ConvolutionGeometry& g, const float*, std::int64_t samples, float*, std::int64_t) {
  ++made[{Kernel::col2im, g.patch() * g.out_pixels() * samples, g.out_width, g.stride}];
}

}  // namespace simtrain

extern "C" void cblas_sgemm(OPENBLAS_CONST enum CBLAS_ORDER, OPENBLAS_CONST enum CBLAS_TRANSPOSE a_transposed,
                            OPENBLAS_CONST enum CBLAS_TRANSPOSE b_transposed, OPENBLAS_CONST blasint m,
                            OPENBLAS_CONST blasint n, OPENBLAS_CONST blasint k, OPENBLAS_CONST float,
                            OPENBLAS_CONST float*, OPENBLAS_CONST blasint, OPENBLAS_CONST float*,
                            OPENBLAS_CONST blasint, OPENBLAS_CONST float, float*, OPENBLAS_CONST blasint) {
  using simtrain::Kernel;
  const Kernel kernel = a_transposed == CblasTrans   ? Kernel::gemm_tn
                        : b_transposed == CblasTrans ? Kernel::gemm_nt
                                                     : Kernel::gemm_nn;
  ++simtrain::made[{kernel, m, n, k}];
}

namespace simtrain {
namespace {

Counts announced(const Operation& operation) {
  Counts counts;
  for_each_call(operation, [&](const Call& call, std::int64_t times) {
    const auto [at, is_new] = counts.insert({{call.kernel, call.m, call.n, call.k}, times});
    EXPECT_TRUE(is_new) << name_of(call.kernel) << " is announced twice";
    EXPECT_GT(times, 0);
    EXPECT_GT(call.m * call.n * call.k, 0);
  });
  return counts;
}

Counts executed(const Operation& operation, std::int64_t floats) {
  made.clear();
  Floats memory(static_cast<std::size_t>(floats));
  Operands operands;
  operands.fill(buffer(memory));  // nothing computes here, so they may share
  execute(operation, operands);
  return made;
}

TEST(Calls, OfConvolutionAreThoseThatAreMade) {
  const ConvolutionGeometry grouped{8, 10, 10, 12, 10, 10, 3, 3, 1, 1, 4};  // patch 18, 3 filters a group
  const ConvolutionGeometry large{64, 32, 32, 6, 16, 16, 3, 3, 2, 1, 2};    // 288 KiB a sample: 14 a chunk
  for (const ConvolutionPass pass :
       {ConvolutionPass::forward, ConvolutionPass::data_gradient, ConvolutionPass::weight_gradient})
    for (const ConvolutionGeometry& geometry : {grouped, large})
      for (std::int64_t first = 0; first <= geometry.out_channels; ++first)
        for (std::int64_t filters = 0; first + filters <= geometry.out_channels; ++filters)
          for (const std::int64_t samples : {0, 1, 14, 31}) {
            const Convolution op{pass, geometry, first, filters, samples};
            ASSERT_EQ(executed(op, 64 * 1024 * 31 + (1 << 20)), announced(op))
                << "pass " << static_cast<int>(pass) << ", filters " << first << " + " << filters << ", samples "
                << samples;
          }
}

// Some of the output rows, as of a strip: products are copied to their places.
TEST(Calls, OfPartialConvolutionsAreThoseThatAreMade) {
  ConvolutionGeometry strip{8, 6, 10, 12, 5, 10, 3, 3, 1, 1, 4};
  strip.row_shift = 1;
  for (const std::int64_t samples : {0, 1, 3})
    for (std::int64_t first = 0; first <= 5; ++first)
      for (std::int64_t rows = 0; first + rows <= 5; ++rows) {
        const Convolution op{ConvolutionPass::forward, strip, 0, 12, samples, first, rows};
        Counts counts = announced(op);
        std::int64_t copied = 0;
        std::erase_if(counts, [&](const auto& call) {
          if (std::get<0>(call.first) != Kernel::flatten) return false;
          copied += std::get<1>(call.first) * call.second;
          return true;
        });
        ASSERT_EQ(copied, op.partial() ? 12 * samples * rows * 10 : 0);
        ASSERT_EQ(executed(op, 1 << 16), counts) << "rows " << first << " + " << rows;
        if (rows == 0 || samples == 0) {
          ASSERT_TRUE(counts.empty());
        } else {
          ASSERT_EQ(counts.at({Kernel::gemm_nn, 3, samples * rows * 10, 18}), 4);
          ASSERT_EQ(workspace_floats(op), (18 + (rows == 5 ? 0 : 3)) * samples * rows * 10);
        }
      }
}

TEST(Calls, OfProductsAreThoseThatAreMade) {
  for (const Transposition transposition : {Transposition::nn, Transposition::nt, Transposition::tn})
    for (const std::int64_t m : {0, 1, 7})
      for (const std::int64_t n : {0, 1, 5})
        for (const std::int64_t k : {0, 1, 3}) {
          const MatrixProduct op{transposition, m, n, k};
          ASSERT_EQ(executed(op, 100), announced(op)) << m << " " << n << " " << k;
          ASSERT_EQ(announced(op).size(), m * n * k > 0 ? 1U : 0U);
        }
}

// Groups and chunks worked out by hand: filters 2..8 of 3 a group touch group 0 (1 filter), 1 and 2 (3 each) and the
// samples are 14 + 14 + 3.
TEST(Calls, MergeGroupsAndChunksOfOneShape) {
  const ConvolutionGeometry g{256, 32, 32, 12, 16, 16, 3, 3, 2, 1, 4};  // patch 576, 576 KiB a sample: 7 a chunk
  ASSERT_EQ(samples_per_chunk(g, 31), 7);
  const Counts expected{{{Kernel::im2col, 576 * 7 * 256, 16, 2}, 3 * 4}, {{Kernel::im2col, 576 * 3 * 256, 16, 2}, 3},
                        {{Kernel::gemm_nn, 1, 7 * 256, 576}, 4},         {{Kernel::gemm_nn, 3, 7 * 256, 576}, 2 * 4},
                        {{Kernel::gemm_nn, 1, 3 * 256, 576}, 1},         {{Kernel::gemm_nn, 3, 3 * 256, 576}, 2}};
  EXPECT_EQ(announced(Convolution{ConvolutionPass::forward, g, 2, 7, 31}), expected);
}

TEST(Calls, OfStreamsHaveTheirElements) {
  const auto only = [](const Operation& operation) {
    const Counts counts = announced(operation);
    EXPECT_EQ(counts.size(), 1U);
    return counts.begin()->first;
  };
  using enum Kernel;
  EXPECT_EQ(only(ElementwiseOp{Elementwise::relu, 10}), Shape(relu, 10, 1, 1));
  EXPECT_EQ(only(ElementwiseOp{Elementwise::relu_gradient, 11}), Shape(relu_gradient, 11, 1, 1));
  EXPECT_EQ(only(ElementwiseOp{Elementwise::add, 12}), Shape(add, 12, 1, 1));
  EXPECT_EQ(only(BiasForward{3, 4}), Shape(bias, 12, 1, 1));
  EXPECT_EQ(only(BiasGradient{3, 5}), Shape(bias_gradient, 15, 1, 1));
  EXPECT_EQ(only(Flatten{FlattenDirection::gradient, 2, 3, 5}), Shape(flatten, 30, 1, 1));
  EXPECT_EQ(only(CopyBlock{4, 7, 100, 7}), Shape(flatten, 28, 1, 1));
  EXPECT_EQ(only(CopyBlock{4, 7, 100, 7, 3, 1000, 28}), Shape(flatten, 84, 1, 1));
  EXPECT_EQ(only(CopyBlock{4, 7, 7, 100, 3, 28, 1000, true}), Shape(add, 84, 1, 1));
  EXPECT_EQ(only(Clear{5}), Shape(relu, 5, 1, 1));
  EXPECT_EQ(only(SoftmaxLoss{10, 7, 100}), Shape(softmax_loss, 70, 1, 1));
  EXPECT_EQ(only(Update{9, 0.1F, 0.9F, 0}), Shape(update, 9, 1, 1));
  const auto pooling = [&](PoolingKind kind, PoolingPass pass) {
    return only(Pooling{kind, pass, 6, 27, 27, 13, 13, 3, 2, 0});
  };
  const std::int64_t elements = 6 * 27 * 27;  // windows of 3 with stride 2 look at four of them nine times
  EXPECT_EQ(pooling(PoolingKind::max, PoolingPass::forward), Shape(max_pool, elements, 13, 9));
  EXPECT_EQ(pooling(PoolingKind::max, PoolingPass::gradient), Shape(max_pool_gradient, elements, 13, 9));
  EXPECT_EQ(pooling(PoolingKind::average, PoolingPass::forward), Shape(average_pool, elements, 13, 9));
  EXPECT_EQ(pooling(PoolingKind::average, PoolingPass::gradient), Shape(average_pool_gradient, elements, 13, 9));
  EXPECT_EQ(only(Pooling{PoolingKind::max, PoolingPass::forward, 5, 28, 28, 14, 14, 2, 2, 0}),
            Shape(max_pool, 5 * 28 * 28, 14, 4));
  EXPECT_EQ(only(Pooling{PoolingKind::average, PoolingPass::forward, 5, 7, 7, 1, 1, 7, 7, 0}),
            Shape(average_pool, 5 * 49, 1, 4));
  EXPECT_TRUE(announced(ElementwiseOp{Elementwise::add, 0}).empty());
}

// AlexNet's second convolution: 2*|W|*pixels*samples flops whatever the filters are cut into.
TEST(Flops, OfAConvolutionAreThoseOfItsWeights) {
  const ConvolutionGeometry conv2{96, 27, 27, 256, 27, 27, 5, 5, 1, 2, 2};
  const std::int64_t samples = 37;
  for (const ConvolutionPass pass :
       {ConvolutionPass::forward, ConvolutionPass::data_gradient, ConvolutionPass::weight_gradient}) {
    double parts = 0;
    for (std::int64_t first = 0; first < 256; first += 50)
      parts += gemm_flops(Convolution{pass, conv2, first, std::min<std::int64_t>(50, 256 - first), samples});
    EXPECT_DOUBLE_EQ(parts, 2.0 * 307200 * 27 * 27 * 37);
  }
  EXPECT_DOUBLE_EQ(gemm_flops(MatrixProduct{Transposition::nt, 3, 4, 5}), 120);
  EXPECT_DOUBLE_EQ(gemm_flops(Update{1000, 0.1F, 0.9F, 0}), 0);
}

TEST(Workspace, IsTheMatrixOfOneChunk) {
  const ConvolutionGeometry conv1{3, 227, 227, 96, 55, 55, 11, 11, 4, 0, 1};  // 363 x 3025 floats a sample: > 4 MiB
  EXPECT_EQ(workspace_floats(Convolution{ConvolutionPass::forward, conv1, 0, 3, 8}), 363 * 3025);
  const ConvolutionGeometry conv3{256, 13, 13, 384, 13, 13, 3, 3, 1, 1, 1};  // 2304 x 169: 2 fit
  EXPECT_EQ(workspace_floats(Convolution{ConvolutionPass::forward, conv3, 0, 3, 8}), 2 * 2304 * 169);
  EXPECT_EQ(workspace_floats(Convolution{ConvolutionPass::forward, conv3, 0, 3, 1}), 2304 * 169);
  EXPECT_EQ(workspace_floats(Convolution{ConvolutionPass::forward, conv3, 0, 0, 8}), 0);
  EXPECT_EQ(workspace_floats(MatrixProduct{Transposition::nn, 100, 100, 100}), 0);
}

}  // namespace
}  // namespace simtrain
