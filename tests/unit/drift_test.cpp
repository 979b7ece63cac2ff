// What `calibrate check` makes of two measurements, and which samples it takes.
#include "calibrate/drift.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace simtrain {
namespace {

Sample sample(Call call, std::vector<double> seconds) { return {call, std::move(seconds), false}; }

TEST(Drift, IsTheMiddleChangeOfAKernelsPoints) {
  const Call small{Kernel::relu, 10}, middle{Kernel::relu, 100}, large{Kernel::relu, 1000}, other{Kernel::update, 10};
  const std::vector<Sample> before{sample(small, {1, 2, 3}), sample(middle, {10}), sample(large, {100}),
                                   sample(other, {4})};
  // Medians now: 2.2, 13 and 90, so +10 %, +30 % and -10 %; nothing of the other kernel.
  const std::vector<Drift> drifts =
      drift_of(before, {sample(large, {90}), sample(small, {2.2}), sample(middle, {1, 13, 200}), sample(other, {})});
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].kernel, Kernel::relu);
  EXPECT_EQ(drifts[0].points.size(), 3U);
  EXPECT_NEAR(drifts[0].change, 0.10, 1e-12);
  EXPECT_TRUE(drifts[0].beyond(0.09));
  EXPECT_FALSE(drifts[0].beyond(0.11));
}

TEST(Drift, LooksAtSmallAndLargeAndSkinnyShapes) {
  std::vector<Sample> samples;
  for (std::int64_t size = 40; size <= 4000; size *= 2)
    samples.push_back(sample({Kernel::gemm_nn, size, size, size}, {1e-12 * double(size * size * size)}));
  for (std::int64_t m = 1; m <= 8; ++m) samples.push_back(sample({Kernel::gemm_nn, m, 500, 500}, {1e-5 * double(m)}));
  for (std::int64_t m = 64; m < 1 << 20; m *= 2) samples.push_back(sample({Kernel::update, m}, {1e-9 * double(m)}));
  samples.push_back(sample({Kernel::gemm_nn, 9000, 9000, 9000}, {100}));
  const std::vector<Sample> chosen = telling_samples(Profile::fit({}, samples), 1.0);
  const auto count = [&](auto wanted) { return std::count_if(chosen.begin(), chosen.end(), wanted); };
  EXPECT_EQ(count([](const Sample& s) { return s.call.kernel == Kernel::gemm_nn && s.call.m <= 8; }), 4);
  EXPECT_EQ(count([](const Sample& s) { return s.call.kernel == Kernel::gemm_nn && s.call.m > 8; }), 7);
  EXPECT_EQ(count([](const Sample& s) { return s.call.kernel == Kernel::update; }), 3);
  EXPECT_EQ(count([](const Sample& s) { return s.call.m == 9000; }), 0) << "would take longer than there is time";
}

TEST(Drift, EveryKernelIsUsedSomewhere) {
  for (std::size_t i = 0; i < kKernelCount; ++i)
    EXPECT_FALSE(used_in(static_cast<Kernel>(i)).empty()) << kKernelNames[i];
}

}  // namespace
}  // namespace simtrain
