// What is measured: which shapes, on which memory, how often. Never how long it takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "calibrate/fit.hpp"
#include "calibrate/measure.hpp"
#include "calibrate/spread.hpp"

namespace simtrain {
namespace {

TEST(LowDiscrepancy, FillsTheCubeEvenly) {
  // 512 points, 8 x 8 x 8 cells of one point each on average: random points would leave 1/e of the cells empty.
  std::set<std::tuple<int, int, int>> cells;
  for (std::uint64_t i = 0; i < 512; ++i) {
    const auto [u] = low_discrepancy(1, i);
    for (const double x : u) {
      ASSERT_GE(x, 0);
      ASSERT_LT(x, 1);
    }
    cells.insert({static_cast<int>(8 * u[0]), static_cast<int>(8 * u[1]), static_cast<int>(8 * u[2])});
  }
  EXPECT_GT(cells.size(), 512 * 0.70);
}

TEST(Spread, HasDistinctShapesOfEveryKernelWithinLimits) {
  const std::vector<Call> needed{{Kernel::gemm_nn, 3, 3025, 363}, {Kernel::relu, 64}, {Kernel::add, 1 << 28}};
  const SpreadLimits limits{.shapes = 100};
  const std::vector<Call> calls = spread_calls(needed, limits, 1);
  std::unordered_set<Call, CallHash> seen(needed.begin(), needed.end());
  std::map<Kernel, int> count;
  std::map<Kernel, std::int64_t> largest;
  for (const Call& call : calls) {
    EXPECT_TRUE(seen.insert(call).second) << name_of(call.kernel) << " " << call.m << " " << call.n << " " << call.k;
    EXPECT_EQ(executable(call), call);
    ++count[call.kernel];
    largest[call.kernel] = std::max(largest[call.kernel], call.m);
    if (is_gemm(call.kernel)) {
      EXPECT_LE(double(call.m) * double(call.n) * double(call.k), limits.largest_products);
    }
  }
  EXPECT_EQ(count[Kernel::gemm_nn], 100);
  EXPECT_EQ(count[Kernel::gemm_tn], 50) << "no needed shapes to spread around";
  EXPECT_EQ(count[Kernel::im2col], 50);
  EXPECT_EQ(count[Kernel::max_pool_gradient], 50);
  for (std::size_t i = 0; i < kKernelCount; ++i) EXPECT_GE(count[static_cast<Kernel>(i)], 10) << kKernelNames[i];
  EXPECT_EQ(largest[Kernel::relu], limits.largest_elements);
  EXPECT_GE(largest[Kernel::add], 1 << 27) << "up to what is needed";
  EXPECT_EQ(spread_calls(needed, limits, 1), calls) << "the seed decides";
  EXPECT_NE(spread_calls(needed, limits, 2), calls);
}

TEST(Executable, KeepsWhatAlexNetNeedsExactly) {
  for (const Call& call : {Call{Kernel::im2col, 363 * 3025, 55, 4, 11}, Call{Kernel::col2im, 1200 * 729, 27, 1, 5},
                           Call{Kernel::im2col, 2 * 2304 * 169, 13, 1, 3}, Call{Kernel::max_pool, 7 * 55 * 55, 27, 9},
                           Call{Kernel::max_pool_gradient, 3 * 28 * 28, 14, 4}, Call{Kernel::gemm_tn, 7, 11, 13},
                           Call{Kernel::update, 12345}})
    EXPECT_EQ(executable(call), call) << name_of(call.kernel) << " " << call.m;
}

TEST(Executable, ComesNearWhereWholeRowsAreNeeded) {
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    const auto kernel = static_cast<Kernel>(i);
    for (const std::int64_t m : {1, 100, 5000, 123'456, 9'999'999}) {
      const Call wanted = has_three_sizes(kernel) ? Call{kernel, m, 13, is_pooling(kernel) ? 9 : 2} : Call{kernel, m};
      const Call call = executable(wanted);
      EXPECT_EQ(executable(call), call);
      EXPECT_EQ(call.n, wanted.n);
      if (m >= 100'000) {
        EXPECT_NEAR(double(call.m) / double(m), 1, 0.02) << kKernelNames[i] << " " << m;
      }
    }
  }
}

TEST(Rotation, SmallOperandsStayInTheWindowLargeOnesRoam) {
  constexpr std::int64_t kMiFloats = 1 << 20;
  OperandRotation rotation(24 * kMiFloats, true, 1);
  EXPECT_EQ(rotation.capacity(), 24 * kMiFloats);
  const float* begin = rotation.next(1).data;
  std::set<const float*> small, large;
  for (int i = 0; i < 100; ++i) {
    const Buffer one = rotation.next(kMiFloats);
    ASSERT_LE(one.data + one.count, begin + kWarmBytes / 4);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(one.data) % 64, 0U);
    small.insert(one.data);
    const Buffer two = rotation.next(5 * kMiFloats);
    ASSERT_LE(two.data + two.count, begin + rotation.capacity());
    large.insert(two.data);
  }
  EXPECT_GE(small.size(), 3U);
  EXPECT_EQ(large.size(), 4U);
  const Buffer values = rotation.next(1000);
  EXPECT_NE(values.data[0], values.data[1]);
}

TEST(Rotation, HotOperandsStayWhereTheyAre) {
  OperandRotation rotation(1 << 23, true, 1);
  const Buffer small = rotation.hot(1000), large = rotation.hot(1 << 23);
  EXPECT_EQ(rotation.hot(1000).data, small.data);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data) % 64, 0U);
  EXPECT_EQ(small.count, 1000);
  EXPECT_LE(small.data + small.count, large.data + large.count) << "within the memory";
}

TEST(Measure, KeepsTheDistributionOfManyRepetitions) {
  // 1 ... 99 in some order: quantiles (i + 1/2)/9 lie at 99 (i + 1/2)/9 + 1/2.
  std::vector<double> many;
  for (int i = 0; i < 99; ++i) many.push_back(1 + i * 37 % 99);
  const std::vector<double> few{3, 1, 2};
  std::vector<Sample> samples{{{Kernel::relu, 1}, many, false}, {{Kernel::relu, 2}, few, false}};
  keep_quantiles(samples);
  ASSERT_EQ(samples[0].seconds.size(), kKeptTimes);
  for (std::size_t i = 0; i < kKeptTimes; ++i)
    EXPECT_NEAR(samples[0].seconds[i], 99 * (double(i) + 0.5) / 9 + 0.5, 1e-9);
  EXPECT_EQ(median(samples[0].seconds), 50);
  EXPECT_EQ(samples[1].seconds, few) << "in the order of measuring";
}

TEST(Measure, RepeatsEveryCallInEveryPass) {
  Workbench bench(1 << 22, 1);
  std::vector<Call> calls;
  for (std::size_t i = 0; i < kKernelCount; ++i) {  // every kernel, so that each is executed at least once
    const auto kernel = static_cast<Kernel>(i);
    calls.push_back(
        executable(has_three_sizes(kernel) ? Call{kernel, 500, 13, is_pooling(kernel) ? 9 : 2} : Call{kernel, 5000}));
    ASSERT_TRUE(bench.fits(calls.back()));
  }
  int asked = 0, last_pass = 0;
  MeasureOptions options{.budget_s = 1e9, .repetitions = 3, .seed = 1};
  options.progress = [&](double fraction, int pass) {
    ++asked;
    last_pass = pass;
    EXPECT_GE(fraction, 0);
    EXPECT_LE(fraction, 1);
  };
  const Measurements result = measure(bench, calls, options);
  EXPECT_EQ(result.passes, 3);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(asked, 3 * static_cast<int>(calls.size()));
  EXPECT_EQ(last_pass, 3);
  ASSERT_EQ(result.samples.size(), calls.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(result.samples[i].call, calls[i]);
    EXPECT_EQ(result.samples[i].seconds.size(), 3U);
    for (const double seconds : result.samples[i].seconds) EXPECT_GT(seconds, 0);
  }
}

// What was measured once would say nothing about noise, and no replica could be made of it.
TEST(Measure, EndsAfterTheSecondPassWithoutBudget) {
  Workbench bench(1 << 22, 1);
  const MeasureOptions options{.budget_s = 0, .repetitions = 5, .seed = 1};
  const Measurements result = measure(bench, {{Kernel::relu, 100}, {Kernel::add, 100}}, options);
  EXPECT_EQ(result.passes, 2);
  for (const Sample& sample : result.samples) EXPECT_EQ(sample.seconds.size(), 2U);
}

TEST(Measure, StopsWhenTold) {
  Workbench bench(1 << 22, 1);
  int asked = 0;
  MeasureOptions options{.budget_s = 1e9, .repetitions = 5, .seed = 1};
  options.stop = [&] { return ++asked > 3; };
  const Measurements result = measure(bench, {{Kernel::relu, 100}, {Kernel::add, 100}}, options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(asked, 4);
}

TEST(Workbench, SaysWhatIsTooLarge) {
  Workbench bench(1 << 22, 1);
  EXPECT_TRUE(bench.fits({Kernel::relu, 1 << 21}));
  EXPECT_FALSE(bench.fits({Kernel::relu, (1 << 21) + 1}));
  EXPECT_FALSE(bench.fits({Kernel::gemm_nn, 1, 1 << 22, 1}));
  EXPECT_FALSE(bench.fits({Kernel::gemm_nn, 2048, 2, 2048}));
}

}  // namespace
}  // namespace simtrain
