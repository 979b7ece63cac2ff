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
  EXPECT_EQ(drifts[0].what, "relu");
  EXPECT_EQ(drifts[0].points[1].at, "100");
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

NetworkPlace place_of(const std::vector<std::pair<std::int64_t, double>>& idle) {
  NetworkPlace place;
  TimingCurve curve;
  for (const auto& [bytes, seconds] : idle) curve.samples.push_back({bytes, {seconds}, false});
  curve.segments = {{0, idle.back().first, 1e-6, 1e9}};
  place.curves[MessageTiming::one_way_idle] = place.curves[MessageTiming::exchange_idle] = curve;
  return place;
}

TEST(Drift, OfMessagesIsByTimingAndTakesFirstQuartiles) {
  const NetworkPlace before = place_of({{0, 1e-6}, {100, 2e-6}, {1000, 4e-6}});
  // First quartiles (nearest rank) now: 1.5, 2.2 and 2 us, so +50 %, +10 % and -50 %.
  const std::vector<Drift> drifts = drift_of(before, {{MessageTiming::one_way_idle,
                                                       {{0, {9e-6, 1.5e-6, 8e-6, 7e-6}, false},
                                                        {100, {2.2e-6}, false},
                                                        {1000, {2e-6, 5e-6}, false},
                                                        {77, {1e-6}, false}}},
                                                      {MessageTiming::send_call, {{0, {1e-6}, false}}}});
  ASSERT_EQ(drifts.size(), 1U);
  EXPECT_EQ(drifts[0].what, "one_way_idle");
  ASSERT_EQ(drifts[0].points.size(), 3U) << "77 bytes are not in the profile";
  EXPECT_NEAR(drifts[0].points[0].now_s, 1.5e-6, 1e-15);
  EXPECT_NEAR(drifts[0].change, 0.10, 1e-9);
}

TEST(Drift, LooksAtSmallAndLargeMessages) {
  std::vector<std::pair<std::int64_t, double>> curve;
  for (std::int64_t bytes = 1; bytes <= 1 << 28; bytes *= 2) curve.emplace_back(bytes, 1e-6);
  const NetworkPlace place = place_of(curve);
  const std::vector<std::int64_t> sizes = telling_sizes(place, 1 << 24);
  EXPECT_EQ(sizes.size(), 12U);
  EXPECT_EQ(sizes.front(), 1);
  EXPECT_EQ(sizes.back(), 1 << 24);
  EXPECT_EQ(telling_sizes(place_of({{0, 1e-6}}), 100), std::vector<std::int64_t>{0});
  EXPECT_EQ(telling_timings(place).size(), 2U) << "not measured after computing";
}

TEST(Drift, EveryKernelIsUsedSomewhere) {
  for (std::size_t i = 0; i < kKernelCount; ++i)
    EXPECT_FALSE(used_in(static_cast<Kernel>(i)).empty()) << kKernelNames[i];
}

}  // namespace
}  // namespace simtrain
