// Curves of message times: are the protocol's switch points found, are line and error right, and does the measuring
// keep to its budget? All on synthetic times with known truth.
#include "calibrate/network_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/random.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/network_measure.hpp"

namespace simtrain {
namespace {

// Three protocols: up to 4 KiB, up to 64 KiB, above.
double truth(std::int64_t bytes) {
  const auto n = static_cast<double>(bytes);
  if (bytes <= 4096) return 1e-6 + n / 2e9;
  if (bytes <= 65536) return 4e-6 + n / 5e9;
  return 30e-6 + n / 12e9;
}

// noise: relative, uniform.
std::vector<MessageSample> synthetic(double noise, double (*seconds)(std::int64_t) = truth) {
  std::vector<MessageSample> samples;
  for (const std::int64_t bytes : message_sizes(std::int64_t{1} << 26, 5)) {
    const auto key = static_cast<std::uint64_t>(bytes);
    samples.push_back(
        {bytes, {seconds(bytes) * (1 + noise * static_cast<double>(random_symmetric(3, key, 0)))}, false});
  }
  keep_aside(samples, 9);
  return samples;
}

TEST(NetworkFit, FindsTheSwitchPointsExactly) {
  const TimingCurve curve = fit_curve(synthetic(0));
  ASSERT_EQ(curve.segments.size(), 4U);
  EXPECT_EQ(curve.segments[0].from, 0);
  EXPECT_EQ(curve.segments[0].to, 0);
  EXPECT_EQ(curve.segments[1].to, 4096);
  EXPECT_EQ(curve.segments[2].from, 4097);
  EXPECT_EQ(curve.segments[2].to, 65536);
  EXPECT_EQ(curve.segments[3].to, std::int64_t{1} << 26);
  const double latencies[] = {1e-6, 4e-6, 30e-6}, bandwidths[] = {2e9, 5e9, 12e9};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(curve.segments[i + 1].latency_s / latencies[i], 1, 1e-6);
    EXPECT_NEAR(curve.segments[i + 1].bandwidth_Bps / bandwidths[i], 1, 1e-6);
  }
  EXPECT_LT(curve.error.worst, 1e-6);
  for (const std::int64_t bytes : {0, 1, 4096, 4097, 65536, 65537, 1'000'000})
    EXPECT_NEAR(curve.seconds(bytes) / truth(bytes), 1, 1e-6) << bytes;
}

TEST(NetworkFit, NoiseMovesNoSwitchPointWithAJump) {
  const TimingCurve curve = fit_curve(synthetic(0.03));
  std::set<std::int64_t> ends;
  for (const CurveSegment& segment : curve.segments) ends.insert(segment.to);
  EXPECT_TRUE(ends.contains(4096));
  EXPECT_TRUE(ends.contains(65536));
  EXPECT_LE(curve.segments.size(), 7U);
  EXPECT_LT(curve.error.median, 0.03);
  EXPECT_LT(curve.error.worst, 0.08);
  EXPECT_GT(curve.error.worst, 0.001) << "the error is of noisy samples that took no part";
}

// Rounds of a ring over 100 Mbit/s as Open MPI's TCP took them: above the eager limit 1.4 ms more, a quarter of a
// message of 64 KiB, and little of the largest.
TEST(NetworkFit, FindsAJumpThatIsSmallBesideTheLargestMessages) {
  const auto ring = [](std::int64_t bytes) {
    return 0.2e-3 + static_cast<double>(bytes) / 12.2e6 + (bytes < 65536 ? 0.0 : 1.4e-3);
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<MessageSample> samples;
    for (const std::int64_t bytes : message_sizes(std::int64_t{1} << 21, seed)) {
      const double noise = bytes < 65536 ? 0.005 : 0.03;
      const auto lot = static_cast<double>(random_symmetric(seed, static_cast<std::uint64_t>(bytes), 0));
      samples.push_back({bytes, {ring(bytes) * (1 + noise * lot)}, false});
    }
    keep_aside(samples, seed);
    const TimingCurve curve = fit_curve(samples);
    for (const std::int64_t bytes : {1000, 30'000, 50'000, 80'000, 200'000, 1'000'000})
      EXPECT_NEAR(curve.seconds(bytes) / ring(bytes), 1, 0.05) << bytes << " bytes, seed " << seed;
  }
}

TEST(NetworkFit, OneLineIsOneSegmentAfterThatOfNothing) {
  const auto line = [](std::int64_t bytes) { return 2e-6 + static_cast<double>(bytes) / 6e9; };
  const TimingCurve curve = fit_curve(synthetic(0, line));
  ASSERT_EQ(curve.segments.size(), 2U);
  EXPECT_NEAR(curve.segments[1].latency_s, 2e-6, 1e-12);
  EXPECT_NEAR(curve.segments[1].bandwidth_Bps / 6e9, 1, 1e-6);
}

TEST(NetworkFit, ADisturbedSizeMovesNoLine) {
  std::vector<MessageSample> samples = synthetic(0);
  for (std::size_t i = 20; i < samples.size(); i += 17)
    if (!samples[i].kept_aside) samples[i].seconds = {samples[i].seconds[0] * (i % 2 == 0 ? 3 : 0.4)};
  const TimingCurve curve = fit_curve(samples);
  EXPECT_LT(curve.error.worst, 1e-3);
}

TEST(NetworkFit, ZeroBytesAreASegmentOfTheirOwn) {
  const auto copied = [](std::int64_t bytes) {
    return bytes == 0 ? 0.3e-6 : 0.5e-6 + static_cast<double>(bytes) / 6e9;
  };
  const TimingCurve curve = fit_curve(synthetic(0, copied));
  ASSERT_EQ(curve.segments.size(), 2U);
  EXPECT_EQ(curve.segments[0].to, 0);
  EXPECT_NEAR(curve.seconds(0), 0.3e-6, 1e-12);
  EXPECT_NEAR(curve.segments[1].latency_s, 0.5e-6, 1e-12);
}

// Messages that outgrow a cache: from 20 to 2 GB/s between 1 and 16 MiB. Segments with latencies >= 0 alone would be
// steps.
TEST(NetworkFit, TimeMayGrowFasterThanTheSize) {
  const auto cached = [](std::int64_t bytes) {
    const auto n = static_cast<double>(bytes);
    const double in_memory = std::clamp(n / 16e6, 0.0, 1.0);
    return 1e-6 + n * ((1 - in_memory) / 20e9 + in_memory / 2e9);
  };
  const TimingCurve curve = fit_curve(synthetic(0, cached));
  EXPECT_LT(curve.error.worst, 0.2);
  for (const CurveSegment& segment : curve.segments) EXPECT_GT(segment.seconds(segment.from), 0);
  EXPECT_TRUE(std::any_of(curve.segments.begin(), curve.segments.end(), [](auto& one) { return one.latency_s < 0; }));
}

TEST(NetworkFit, ErrorsAreOfTheSamplesKeptAsideAlone) {
  std::vector<MessageSample> samples = synthetic(0);
  for (MessageSample& sample : samples)
    if (sample.kept_aside) sample.seconds = {sample.seconds[0] * 1.25};
  const double expected = 0.2;  // |1/1.25 - 1|
  const TimingCurve curve = fit_curve(samples);
  EXPECT_NEAR(curve.error.median, expected, 1e-6);
  EXPECT_NEAR(curve.error.worst, expected, 1e-6);
  EXPECT_NEAR(curve.seconds(4096) / truth(4096), 1, 1e-6) << "the fit did not see them";
}

TEST(NetworkFit, TimesThatDoNotGrowHaveALimitedBandwidth) {
  const TimingCurve curve = fit_curve({{0, {1e-6}, false}, {8, {1e-6}, false}});
  EXPECT_NEAR(curve.seconds(8), 1e-6, 1e-12);
  EXPECT_TRUE(std::isfinite(curve.segments[0].bandwidth_Bps));
  EXPECT_EQ(curve.error.samples, 0);
}

TEST(NetworkFit, AFifthIsKeptAsideButNoEndsOrPowers) {
  std::vector<MessageSample> samples;
  for (std::int64_t bytes = 0; bytes < 50; ++bytes) samples.push_back({bytes, {1e-6}, false});
  keep_aside(samples, 1);
  int kept = 0;
  for (const MessageSample& sample : samples) kept += sample.kept_aside;
  for (const std::size_t power : {1, 2, 4, 8, 16, 32}) EXPECT_FALSE(samples[power].kept_aside) << power;
  EXPECT_EQ(kept, 10);
  EXPECT_FALSE(samples.front().kept_aside);
  EXPECT_FALSE(samples.back().kept_aside);
}

TEST(SwitchPoint, IsAPowerOfTwoWhereThereIsOne) {
  EXPECT_EQ(switch_point(3000, 5000), 4096);
  EXPECT_EQ(switch_point(4096, 5000), 4096);
  EXPECT_EQ(switch_point(3000, 4096), 3505);  // 4096 itself is of the new protocol: the geometric mean
  EXPECT_EQ(switch_point(4095, 4096), 4095);
  EXPECT_EQ(switch_point(0, 1), 0);
}

TEST(MessageSizes, ArePowersAndRandomOnesBetween) {
  const std::vector<std::int64_t> sizes = message_sizes(1'000'000, 1);
  const std::set<std::int64_t> set(sizes.begin(), sizes.end());
  EXPECT_EQ(set.size(), sizes.size());
  EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
  EXPECT_EQ(sizes.front(), 0);
  EXPECT_EQ(sizes.back(), 1'000'000);
  for (std::int64_t power = 1; power <= 1'000'000; power *= 2) EXPECT_TRUE(set.contains(power)) << power;
  for (std::int64_t power = 1024; power * 2 <= 1'000'000; power *= 2)
    EXPECT_EQ(std::distance(set.upper_bound(power), set.lower_bound(2 * power)), 3) << power;
  EXPECT_NE(sizes, message_sizes(1'000'000, 2));
}

TEST(SpreadKnown, NeedsSixTimesThatAgree) {
  EXPECT_FALSE(spread_known({1, 1, 1, 1, 1}));
  EXPECT_TRUE(spread_known({1, 1, 1, 1, 1, 1}));
  // Of six, the interval reaches to the fifth smallest; of 16, from the smallest to the ninth.
  EXPECT_TRUE(spread_known({1, 1, 1, 1, 1, 1.1}));
  EXPECT_FALSE(spread_known({1, 1, 1, 1, 1.1, 1.1}));
  std::vector<double> seconds(16, 1.0);
  for (std::size_t i = 0; i < 7; ++i) seconds[i] = 5;
  EXPECT_TRUE(spread_known(seconds));
  seconds[7] = 5;
  EXPECT_FALSE(spread_known(seconds));
}

TEST(Undisturbed, IsTheFirstQuartile) {
  EXPECT_EQ(undisturbed_s({7}), 7);
  EXPECT_EQ(undisturbed_s({9, 8, 7, 6}), 6);
  EXPECT_EQ(undisturbed_s({9, 8, 7, 6, 5}), 6);
  EXPECT_EQ(undisturbed_s({1, 100, 3, 100, 2, 100, 100, 100, 100}), 3);
}

// A clock that moves by what the visits take.
struct FakeNetwork {
  double clock_s = 0;
  std::map<MessageTiming, std::map<std::int64_t, int>> visits;
  double noise = 0;
  std::uint64_t count = 0;

  double visit(const Probe& probe, double Bps) {
    const double seconds = 1e-6 + static_cast<double>(probe.bytes) / Bps;
    clock_s += 2 * seconds * static_cast<double>(probe.repetitions);
    ++visits[probe.timing][probe.bytes];
    return seconds * (1 + noise * static_cast<double>(random_symmetric(1, 2, ++count)));
  }
};

std::map<MessageTiming, std::vector<MessageSample>> measure_fake(FakeNetwork& network, double Bps, double budget_s) {
  NetworkMeasureOptions options;
  options.budget_s = budget_s;
  options.largest_bytes = 1 << 24;
  options.now_s = [&] { return network.clock_s; };
  return measure_messages([&](const Probe& probe) { return network.visit(probe, Bps); },
                          {MessageTiming::one_way_idle, MessageTiming::send_call}, options);
}

TEST(MeasureMessages, StopsWhenTheSpreadIsKnown) {
  FakeNetwork network;
  const auto samples = measure_fake(network, 1e10, 1000);
  EXPECT_EQ(samples.at(MessageTiming::one_way_idle).back().bytes, 1 << 24);
  EXPECT_EQ(samples.at(MessageTiming::send_call).back().bytes, kLargestOfCalls);
  for (const auto& [timing, of_timing] : samples) {
    EXPECT_TRUE(std::is_sorted(of_timing.begin(), of_timing.end(),
                               [](const auto& a, const auto& b) { return a.bytes < b.bytes; }));
    for (const MessageSample& sample : of_timing) EXPECT_EQ(sample.seconds.size(), 6U) << sample.bytes;
  }
  EXPECT_LT(network.clock_s, 100);
}

TEST(MeasureMessages, KeepsToTheBudgetOnASlowNetwork) {
  FakeNetwork network;
  network.noise = 0.1;
  const double budget_s = 4;
  const auto samples = measure_fake(network, 12.5e6, budget_s);
  const std::vector<MessageSample>& one_way = samples.at(MessageTiming::one_way_idle);
  // 1/40 of half of 4 s at 12.5 MB/s is 625 kB: larger ones are left out.
  EXPECT_LE(one_way.back().bytes, 720'000);
  EXPECT_GE(one_way.back().bytes, 300'000);
  EXPECT_LT(network.clock_s, 1.5 * budget_s);
  for (const MessageSample& sample : one_way) EXPECT_GE(sample.seconds.size(), 3U);
}

}  // namespace
}  // namespace simtrain
