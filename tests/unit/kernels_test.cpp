// Every operation without a window against a loop that is too simple to be wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/blas_kernels.hpp"
#include "kernels/execute.hpp"
#include "tests/support/kernel_buffers.hpp"

namespace simtrain {
namespace {

std::size_t at(std::int64_t row, std::int64_t columns, std::int64_t column) {
  return static_cast<std::size_t>(row * columns + column);
}

// Element (i, j) of op(A) when A is stored rows x columns, or transposed.
double element(const Floats& a, bool transposed, std::int64_t rows, std::int64_t columns, std::int64_t i,
               std::int64_t j) {
  return static_cast<double>(transposed ? a[at(j, rows, i)] : a[at(i, columns, j)]);
}

struct Sizes {
  std::int64_t m, n, k;
};

class MatrixProductTest : public testing::TestWithParam<std::tuple<Transposition, Sizes>> {};

TEST_P(MatrixProductTest, EqualsTripleLoop) {
  const auto [transposition, sizes] = GetParam();
  const auto [m, n, k] = sizes;
  Floats a = random_floats(m * k, 1), b = random_floats(k * n, 2), c = garbage(m * n);
  execute(MatrixProduct{transposition, m, n, k}, {buffer(a), buffer(b), buffer(c)});
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l)
        sum += element(a, transposition == Transposition::tn, m, k, i, l) *
               element(b, transposition == Transposition::nt, k, n, l, j);
      ASSERT_NEAR(c[at(i, n, j)], sum, 1e-5 * static_cast<double>(k + 1)) << i << "," << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixProductTest,
                         testing::Combine(testing::Values(Transposition::nn, Transposition::nt, Transposition::tn),
                                          testing::Values(Sizes{1, 1, 1}, Sizes{3, 5, 7}, Sizes{17, 1, 9},
                                                          Sizes{1, 33, 64}, Sizes{64, 48, 130}, Sizes{4, 3, 0},
                                                          Sizes{0, 3, 4}, Sizes{3, 0, 4})));

TEST(MatrixProduct, LeadingDimensionsAndAccumulation) {
  // C = [1 2; 3 4] * [5; 6] + 2*C, each inside a wider matrix.
  const Floats a{1, 2, 99, 3, 4, 99}, b{5, 99, 6, 99};
  Floats c{1, -7, 10, -7};
  matrix_product(Transposition::nn, 2, 1, 2, {a.data(), 3}, {b.data(), 2}, 2.0F, c.data(), 2);
  EXPECT_EQ(c, (Floats{17 + 2, -7, 39 + 20, -7}));
  matrix_product(Transposition::nn, 2, 1, 0, {a.data(), 3}, {b.data(), 2}, 0.5F, c.data(), 2);
  EXPECT_EQ(c, (Floats{9.5F, -7, 29.5F, -7}));
}

TEST(MatrixProduct, RefusesWhatBlasCannotCount) {
  float one = 1;
  const std::int64_t large = std::int64_t{1} << 31;
  const auto product = [&] { matrix_product(Transposition::nn, 1, 1, 1, {&one, 1}, {&one, large}, 0.0F, &one, 1); };
  try {
    product();
    FAIL() << "expected a Failure";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("leading dimension of B = 2147483648"), std::string::npos) << error.what();
  }
}

TEST(Elementwise, ReluInPlaceAndNot) {
  Floats x = random_floats(1003, 1), y = garbage(1003), expected = x;
  for (float& value : expected) value = std::max(value, 0.0F);
  execute(ElementwiseOp{Elementwise::relu, 1003}, {buffer(x), buffer(y)});
  EXPECT_EQ(y, expected);
  execute(ElementwiseOp{Elementwise::relu, 1003}, {buffer(x), buffer(x)});
  EXPECT_EQ(x, expected);
}

TEST(Elementwise, ReluGradientInPlaceAndNot) {
  Floats dy = random_floats(1003, 1), y = random_floats(1003, 2), dx = garbage(1003), expected = dy;
  y[5] = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] <= 0) expected[i] = 0;
  execute(ElementwiseOp{Elementwise::relu_gradient, 1003}, {buffer(dy), buffer(y), buffer(dx)});
  EXPECT_EQ(dx, expected);
  execute(ElementwiseOp{Elementwise::relu_gradient, 1003}, {buffer(dy), buffer(y), buffer(dy)});
  EXPECT_EQ(dy, expected);
}

TEST(Elementwise, AddTouchesItsCountOnly) {
  Floats x = random_floats(37, 1), y = random_floats(37, 2);
  const Floats before = y;
  execute(ElementwiseOp{Elementwise::add, 36}, {buffer(x), buffer(y)});
  for (std::size_t i = 0; i < 36; ++i) ASSERT_EQ(y[i], before[i] + x[i]);
  EXPECT_EQ(y[36], before[36]);
}

TEST(Bias, ForwardAndGradientPerRow) {
  for (const std::int64_t columns : {std::int64_t{0}, std::int64_t{1}, std::int64_t{15}, std::int64_t{101}}) {
    constexpr std::int64_t kRows = 5;
    Floats b = random_floats(kRows, 1), y = random_floats(kRows * columns, 2), db = garbage(kRows);
    const Floats before = y;
    execute(BiasGradient{kRows, columns}, {buffer(y), buffer(db)});
    execute(BiasForward{kRows, columns}, {buffer(b), buffer(y)});
    for (std::int64_t row = 0; row < kRows; ++row) {
      double sum = 0;
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::size_t i = at(row, columns, column);
        sum += static_cast<double>(before[i]);
        ASSERT_EQ(y[i], before[i] + b[static_cast<std::size_t>(row)]);
      }
      ASSERT_NEAR(db[static_cast<std::size_t>(row)], sum, 1e-4);
    }
  }
}

TEST(Flatten, ForwardAndBack) {
  constexpr std::int64_t kChannels = 3, kSamples = 37, kPixels = 41;
  Floats x = random_floats(kChannels * kSamples * kPixels, 1), y = garbage(kChannels * kSamples * kPixels),
         back = garbage(kChannels * kSamples * kPixels);
  execute(Flatten{FlattenDirection::forward, kChannels, kSamples, kPixels}, {buffer(x), buffer(y)});
  for (std::int64_t c = 0; c < kChannels; ++c)
    for (std::int64_t s = 0; s < kSamples; ++s)
      for (std::int64_t p = 0; p < kPixels; ++p)
        ASSERT_EQ(y[at(c * kPixels + p, kSamples, s)], x[at(c * kSamples + s, kPixels, p)]);
  execute(Flatten{FlattenDirection::gradient, kChannels, kSamples, kPixels}, {buffer(y), buffer(back)});
  EXPECT_EQ(back, x);
}

// Rows 1 and 2, columns 2 to 4 of a 4 x 5 matrix into columns 1 to 3 of a 2 x 4 one; nothing else changes.
TEST(CopyBlock, MovesRunsAndNothingElse) {
  const Floats x = random_floats(20, 1);
  Floats from = x, to(8, -1.0F);
  const Buffer source = buffer(from), target = buffer(to);
  execute(CopyBlock{2, 3, 5, 4}, {source.slice(7, 13), target.slice(1, 7)});
  EXPECT_EQ(to, (Floats{-1, x[7], x[8], x[9], -1, x[12], x[13], x[14]}));
  execute(CopyBlock{0, 3, 5, 4}, {source, target});
  EXPECT_EQ(from, x);
}

TEST(UpdateTest, MomentumAndDecay) {
  Floats dw{0.5F, -1.0F}, w{2.0F, 3.0F}, v{0.25F, 0.5F};
  execute(Update{2, 0.125F, 0.5F, 0.25F}, {buffer(dw), buffer(w), buffer(v)});
  // V = 0.5*V + dW + 0.25*W;  W -= V/8; all exact in float
  EXPECT_EQ(v, (Floats{0.125F + 0.5F + 0.5F, 0.25F - 1.0F + 0.75F}));
  EXPECT_EQ(w, (Floats{2.0F - 1.125F / 8, 3.0F}));
}

TEST(UpdateTest, WithoutMomentumThereIsNoV) {
  Floats dw{0.5F, -1.0F}, w{2.0F, 3.0F};
  execute(Update{2, 0.5F, 0.0F, 0.25F}, {buffer(dw), buffer(w)});
  EXPECT_EQ(w, (Floats{2.0F - 0.5F * 1.0F, 3.0F - 0.5F * -0.25F}));
}

class SoftmaxTest : public testing::TestWithParam<std::int64_t> {};

// In double, from the definition.
double loss_of(const Floats& logits, const Floats& labels, std::int64_t classes, std::int64_t samples) {
  double loss = 0;
  for (std::int64_t s = 0; s < samples; ++s) {
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(logits[at(c, samples, s)]));
    const auto label = static_cast<std::int64_t>(labels[static_cast<std::size_t>(s)]);
    loss += std::log(sum) - static_cast<double>(logits[at(label, samples, s)]);
  }
  return loss;
}

TEST_P(SoftmaxTest, LossByDefinitionAndGradientByDifferences) {
  const std::int64_t samples = GetParam();
  constexpr std::int64_t kClasses = 7, kBatch = 300;
  Floats logits = random_floats(kClasses * samples, 1), labels(static_cast<std::size_t>(samples)),
         gradient = garbage(kClasses * samples), loss = garbage(1);
  for (std::size_t s = 0; s < labels.size(); ++s) labels[s] = static_cast<float>(s * 3 % kClasses);
  execute(SoftmaxLoss{kClasses, samples, kBatch}, {buffer(logits), buffer(labels), buffer(gradient), buffer(loss)});
  const double expected = loss_of(logits, labels, kClasses, samples);
  EXPECT_NEAR(loss[0], expected, 1e-6 * std::abs(expected) + 1e-6);
  for (std::int64_t i = 0; i < kClasses * samples; i += 5) {  // central differences of the loss over the batch
    const auto j = static_cast<std::size_t>(i);
    Floats up = logits, down = logits;
    up[j] += 1.0F / 64;
    down[j] -= 1.0F / 64;
    const double slope =
        (loss_of(up, labels, kClasses, samples) - loss_of(down, labels, kClasses, samples)) * 32 / kBatch;
    ASSERT_NEAR(gradient[j], slope, 1e-4 / kBatch) << i;
  }
}

// One sample, less than a block, exactly one, several with a rest; none.
INSTANTIATE_TEST_SUITE_P(Samples, SoftmaxTest, testing::Values(0, 1, 5, 128, 129, 300));

TEST(Softmax, InPlaceAndWithoutOverflow) {
  Floats logits{1000, -1000, 1001, -1001}, labels{0, 1}, loss = garbage(1);  // 2 classes x 2 samples
  execute(SoftmaxLoss{2, 2, 1}, {buffer(logits), buffer(labels), buffer(logits), buffer(loss)});
  // Sample 0: logits 1000, 1001, label 0. Sample 1: -1000, -1001, label 1. Both: probability of the label 1/(1 + e).
  const double p = 1 / (1 + std::exp(1.0));
  EXPECT_NEAR(loss[0], -2 * std::log(p), 1e-6);
  const double expected[] = {p - 1, 1 - p, 1 - p, p - 1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(logits[i], expected[i], 1e-6) << i;
}

TEST(SoftmaxDeathTest, RefusesALabelThatIsNoClass) {
  Floats logits{1, 2}, labels{2}, gradient{0, 0}, loss{0};
  EXPECT_DEATH(execute(SoftmaxLoss{2, 1, 1}, {buffer(logits), buffer(labels), buffer(gradient), buffer(loss)}),
               "label 2.* with 2 classes");
}

TEST(OperandsDeathTest, RefusesShortBuffersAndPhantoms) {
  Floats three(3), four(4);
  EXPECT_DEATH(execute(ElementwiseOp{Elementwise::relu, 4}, {buffer(four), buffer(three)}),
               "operand 1 has 3 floats, the operation needs 4");
  EXPECT_DEATH(execute(ElementwiseOp{Elementwise::relu, 4}, {Buffer{four.data(), 4, true}, buffer(four)}),
               "operand 0 is a phantom");
}

TEST(BlasKernels, AllocatesZerosOnCacheLines) {
  BlasKernels kernels([] { return 0.0; });
  for (const std::int64_t floats : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}}) {
    const Buffer memory = kernels.allocate(floats);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data) % 64, 0U);
    EXPECT_EQ(memory.count, floats);
    EXPECT_FALSE(memory.phantom);
    for (const float value : kernels.read(memory)) ASSERT_EQ(value, 0.0F);
  }
}

TEST(BlasKernels, BooksTimePerAccount) {
  double clock = 0;
  BlasKernels kernels([&] { return clock += 0.25; });  // asked before and after each operation
  const Buffer x = kernels.allocate(4), y = kernels.allocate(4);
  kernels.fill(x, [](std::int64_t i) { return static_cast<float>(i) - 1; });
  const Operation relu = ElementwiseOp{Elementwise::relu, 4};
  const Event first = kernels.enqueue(relu, {x, y}, 3);
  const Event second = kernels.enqueue(relu, {x, y}, 3);
  kernels.enqueue(relu, {x, y}, 0);
  kernels.wait(second);
  EXPECT_GT(second.ticket, first.ticket);
  EXPECT_GT(first.ticket, 0U);
  EXPECT_EQ(kernels.busy_s(3), 0.5);
  EXPECT_EQ(kernels.busy_s(0), 0.25);
  EXPECT_EQ(kernels.busy_s(1), 0);
  EXPECT_EQ(kernels.busy_s(9), 0);
  EXPECT_EQ(kernels.interval(3).begin_s, 0.25);
  EXPECT_EQ(kernels.interval(3).end_s, 1);
  EXPECT_EQ(kernels.interval(0).begin_s, 1.25);
  EXPECT_EQ(kernels.interval(9).end_s, 0);
  const auto result = kernels.read(y);
  EXPECT_EQ(Floats(result.begin(), result.end()), (Floats{0, 0, 1, 2}));
  kernels.reset_accounts();
  EXPECT_EQ(kernels.busy_s(3), 0);
  EXPECT_EQ(kernels.interval(3).end_s, 0);
  kernels.enqueue(relu, {x, y}, 3);
  EXPECT_EQ(kernels.interval(3).begin_s, 1.75);
}

TEST(Blas, SaysWhoItIsAndKeepsToOneThread) {
  use_blas_threads(1);
  const BlasIdentity identity = blas_identity();
  EXPECT_EQ(identity.threads, 1);
  EXPECT_EQ(identity.library.rfind("OpenBLAS", 0), 0U) << identity.library;
  EXPECT_FALSE(identity.core_type.empty());
}

}  // namespace
}  // namespace simtrain
