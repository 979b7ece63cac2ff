// The modelled kernels: what they charge, when, and on which account; and that with numbers they compute as well.
#include "kernels/modelled.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/blas_kernels.hpp"
#include "tests/support/kernel_buffers.hpp"

namespace simtrain {
namespace {

// A call costs m*n*k ms; outside the measured range from 1000 on. Counts how often it is asked.
class CountingCost final : public CostModel {
 public:
  mutable int asked = 0;
  [[nodiscard]] Estimate estimate(const Call& call) const override {
    ++asked;
    const auto size = static_cast<double>(call.m * call.n * call.k);
    return {1e-3 * size, size < 1000};
  }
};

const Operation kSmall = ElementwiseOp{Elementwise::relu, 10};          // 10 ms
const Operation kLarge = MatrixProduct{Transposition::nn, 10, 20, 30};  // 6 s, outside
const Operation kEmpty = ElementwiseOp{Elementwise::relu, 0};           // nothing

TEST(Price, SumsCallsAndTheirTimes) {
  const CountingCost model;
  // 8 samples, one chunk each group; 2 groups touched with 1 and 2 filters.
  const ConvolutionGeometry g{4, 3, 3, 4, 3, 3, 1, 1, 1, 0, 2};  // patch 2
  const OperationCost cost = price(model, Convolution{ConvolutionPass::forward, g, 1, 3, 8});
  // im2col: m*n*k = (2*8*9)*3*1, twice, each 432; products 1 and 2 x 72 x 2
  EXPECT_DOUBLE_EQ(cost.seconds, 1e-3 * (2 * 432 + 144 + 288));
  EXPECT_DOUBLE_EQ(cost.extrapolated_s, 0);
  EXPECT_DOUBLE_EQ(price(model, kLarge).extrapolated_s, 6);
}

TEST(PricedOperationsTest, ScalesAndRemembers) {
  const CountingCost model;
  PricedOperations prices(model, 4);
  for (int i = 0; i < 3; ++i) {
    const OperationCost cost = prices.price(kLarge);
    EXPECT_DOUBLE_EQ(cost.seconds, 1.5);
    EXPECT_DOUBLE_EQ(cost.extrapolated_s, 1.5);
  }
  EXPECT_DOUBLE_EQ(prices.price(kSmall).seconds, 0.0025);
  EXPECT_EQ(model.asked, 2);
}

class ModelledKernelsTest : public testing::Test {
 protected:
  const CountingCost model;
  PricedOperations prices{model, 1};
  std::vector<double> charged;
  ModelledKernels kernels{prices, [this](double seconds) { charged.push_back(seconds); }};
};

// Three times the seconds of relu, twice those of anything else; notes what it was asked.
class CountedNoise final : public Noise {
 public:
  explicit CountedNoise(std::vector<std::pair<Call, std::int64_t>>& asked) : asked_(asked) {}
  double factor(const Call& call, std::int64_t times) override {
    asked_.emplace_back(call, times);
    return call.kernel == Kernel::relu ? 3 : 2;
  }

 private:
  std::vector<std::pair<Call, std::int64_t>>& asked_;
};

TEST_F(ModelledKernelsTest, NoiseDisturbsEachCallOfEachOperation) {
  std::vector<std::pair<Call, std::int64_t>> asked;
  ModelledKernels noisy(
      prices, [this](double seconds) { charged.push_back(seconds); }, {}, {}, std::make_unique<CountedNoise>(asked));
  for (int i = 0; i < 2; ++i) noisy.enqueue(kSmall, {}, 0);
  noisy.wait(noisy.enqueue(kLarge, {}, 1));
  ASSERT_EQ(charged.size(), 1U);
  EXPECT_DOUBLE_EQ(charged[0], 2 * 3 * 0.01 + 2 * 6);
  EXPECT_DOUBLE_EQ(noisy.busy_s(0), 0.06);
  EXPECT_DOUBLE_EQ(noisy.extrapolated_s(1), 12) << "what is outside the range is disturbed alike";
  EXPECT_EQ(asked.size(), 3U);
  // 2 groups touched with 1 and 2 filters: their products differ, im2col is the same one twice.
  const ConvolutionGeometry g{4, 3, 3, 4, 3, 3, 1, 1, 1, 0, 2};
  asked.clear();
  noisy.enqueue(Convolution{ConvolutionPass::forward, g, 1, 3, 8}, {}, 0);
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(std::count(asked.begin(), asked.end(), std::pair<Call, std::int64_t>{{Kernel::im2col, 144, 3, 1}, 2}), 1);
  EXPECT_DOUBLE_EQ(prices.price(kLarge).seconds, 6) << "the price itself is undisturbed";
}

// Thousands of ranks are simulated: each keeps what the accounts in use need, whatever their numbers.
TEST_F(ModelledKernelsTest, RanksHaveRoomForTheAccountsInUse) {
  ModelledKernels other(prices, [](double) {});
  other.wait(other.enqueue(kSmall, {}, 40));
  kernels.wait(kernels.enqueue(kSmall, {}, 3));
  kernels.wait(kernels.enqueue(kSmall, {}, 40));
  EXPECT_EQ(prices.places(), 2U);
  EXPECT_EQ(prices.known_place_of(40), 0U);
  EXPECT_EQ(prices.known_place_of(3), 1U);
  EXPECT_EQ(prices.known_place_of(39), std::nullopt);
  EXPECT_DOUBLE_EQ(kernels.busy_s(40), 0.01);
  EXPECT_DOUBLE_EQ(kernels.busy_s(3), 0.01);
  EXPECT_EQ(other.busy_s(3), 0) << "another rank's";
  EXPECT_EQ(kernels.busy_s(39), 0);
}

TEST_F(ModelledKernelsTest, ChargesAtWaitOnlyAndAllAtOnce) {
  kernels.enqueue(kSmall, {}, 0);
  kernels.enqueue(kLarge, {}, 2);
  const Event last = kernels.enqueue(kSmall, {}, 2);
  EXPECT_TRUE(charged.empty());
  EXPECT_EQ(kernels.busy_s(0), 0) << "nothing has finished yet";
  kernels.wait(last);
  ASSERT_EQ(charged.size(), 1U);
  EXPECT_DOUBLE_EQ(charged[0], 6.02);
  EXPECT_DOUBLE_EQ(kernels.busy_s(0), 0.01);
  EXPECT_DOUBLE_EQ(kernels.busy_s(2), 6.01);
  EXPECT_DOUBLE_EQ(kernels.extrapolated_s(2), 6);
  EXPECT_EQ(kernels.busy_s(1), 0);
  EXPECT_EQ(kernels.busy_s(7), 0);
  kernels.wait(last);
  EXPECT_EQ(charged.size(), 1U) << "an event that has passed costs nothing";
}

// Two queues of 10 ms, 6 s, 10 ms; something else takes 1 s of the clock between them.
TEST_F(ModelledKernelsTest, TellsWhenTheOperationsOfAnAccountRan) {
  double clock = 5;
  ModelledKernels timed(
      prices, [&](double seconds) { clock += seconds; }, {}, [&] { return clock; });
  const auto expect = [&](Account account, double begin_s, double end_s) {
    EXPECT_DOUBLE_EQ(timed.interval(account).begin_s, begin_s) << account;
    EXPECT_DOUBLE_EQ(timed.interval(account).end_s, end_s) << account;
  };
  const auto run = [&] {
    timed.enqueue(kSmall, {}, 0);
    timed.enqueue(kLarge, {}, 2);
    timed.wait(timed.enqueue(kSmall, {}, 2));
  };
  run();
  expect(0, 5, 5.01);
  expect(2, 5.01, 11.02);
  expect(1, 0, 0);
  expect(9, 0, 0);
  clock += 1;
  run();
  expect(0, 5, 12.03);
  timed.reset_accounts();
  expect(0, 0, 0);
  run();
  expect(0, 18.04, 18.05);
  // Without a clock there is that of the charged seconds.
  kernels.wait(kernels.enqueue(kSmall, {}, 4));
  kernels.wait(kernels.enqueue(kSmall, {}, 5));
  EXPECT_DOUBLE_EQ(kernels.interval(5).begin_s, 0.01);
  EXPECT_DOUBLE_EQ(kernels.interval(5).end_s, 0.02);
}

TEST_F(ModelledKernelsTest, AnEmptyEventWaitsForNothing) {
  kernels.enqueue(kSmall, {}, 0);
  kernels.wait({});
  EXPECT_TRUE(charged.empty());
}

TEST_F(ModelledKernelsTest, EmptyOperationsCostNothing) {
  kernels.wait(kernels.enqueue(kEmpty, {}, 0));
  double sum = 0;
  for (const double seconds : charged) sum += seconds;
  EXPECT_EQ(sum, 0);
}

TEST_F(ModelledKernelsTest, ResetForgetsAccountsButNotWhatIsQueued) {
  kernels.wait(kernels.enqueue(kSmall, {}, 1));
  const Event queued = kernels.enqueue(kLarge, {}, 1);
  kernels.reset_accounts();
  EXPECT_EQ(kernels.busy_s(1), 0);
  kernels.wait(queued);
  EXPECT_DOUBLE_EQ(kernels.busy_s(1), 6);
}

TEST_F(ModelledKernelsTest, HandsOutPhantoms) {
  const Buffer memory = kernels.allocate(std::int64_t{1} << 40);  // 4 TiB: more than a machine has
  EXPECT_TRUE(memory.phantom);
  EXPECT_NE(memory.data, nullptr);
  EXPECT_EQ(memory.count, std::int64_t{1} << 40);
  const Buffer other = kernels.allocate(0);
  EXPECT_NE(other.data, nullptr);
  EXPECT_NE(other.data, memory.data);
  EXPECT_NE(memory.slice(1, 1).data, memory.slice(2, 1).data);
  EXPECT_EQ(memory.slice(1 << 20, 5).count, 5);
  kernels.fill(memory, [](std::int64_t) -> float { throw std::logic_error("a phantom has no elements"); });
  EXPECT_TRUE(kernels.read(memory).empty());
  EXPECT_TRUE(kernels.write(memory).empty());
  EXPECT_DEATH(memory.data[0] = 1, "");
}

TEST_F(ModelledKernelsTest, WithNumbersItComputesAndChargesTheSame) {
  std::vector<double> real_charged;
  ModelledKernels real(
      prices, [&](double seconds) { real_charged.push_back(seconds); },
      std::make_unique<BlasKernels>([] { return 0.0; }));
  const Operation relu = ElementwiseOp{Elementwise::relu, 3};
  for (Kernels* one : {static_cast<Kernels*>(&real), static_cast<Kernels*>(&kernels)}) {
    const Buffer x = one->allocate(3), y = one->allocate(3);
    one->fill(x, [](std::int64_t i) { return static_cast<float>(i) - 1; });
    one->enqueue(relu, {x, y}, 0);
    const auto result = one->read(y);
    EXPECT_EQ(Floats(result.begin(), result.end()), one == &real ? (Floats{0, 0, 1}) : Floats{});
  }
  EXPECT_EQ(real_charged, charged) << "reading waits, with numbers and without";
  ASSERT_EQ(charged.size(), 1U);
  EXPECT_DOUBLE_EQ(charged[0], 0.003);
}

}  // namespace
}  // namespace simtrain
