// Does a simulated message take what was measured? Simulates the ping-pong and the exchange of `calibrate network` at
// every size of stored calibrations, prints both columns, and holds them together. The measured times are those of the
// stored samples, kept aside or not.
#include "sim/engine/network_model.hpp"

#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/files.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/network_text.hpp"
#include "calibrate/profile.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/network_place.hpp"
#include "tests/support/values_in_child.hpp"

namespace simtrain {
namespace {

constexpr double kMedian = 0.05, kWorst = 0.20;  // the bar

using Body = std::function<void(int rank, std::vector<double>& out)>;

// Runs `body` on the first ranks of the platform under the calibrated model.
std::vector<double> simulated(const std::string& platform, int ranks, const NetworkSection& section, const Body& body) {
  return values_in_child([&] {
    std::vector<double> out;
    std::vector<int> hosts;
    for (int rank = 0; rank < ranks; ++rank) hosts.push_back(rank);
    CalibratedNetwork network("a profile", section);
    Simulation simulation(platform, {.ranks = ranks});
    simulation.use_network(network, hosts);
    simulation.run(hosts, [&](int rank) {
      payloads_off(rank);
      simulation.align();
      body(rank, out);
    });
    return out;
  });
}

char out_byte, in_byte;  // payloads are off: only the addresses matter

void ping_pong(int rank, std::int64_t bytes) {
  const auto count = static_cast<int>(bytes);
  for (int turn = 0; turn < 2; ++turn)
    if (turn == rank)
      MPI_Send(&out_byte, count, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD);
    else
      MPI_Recv(&in_byte, count, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void exchange(int to, int from, std::int64_t bytes) {
  const auto count = static_cast<int>(bytes);
  MPI_Sendrecv(&out_byte, count, MPI_BYTE, to, 1, &in_byte, count, MPI_BYTE, from, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

std::vector<std::int64_t> sizes_of(const TimingCurve& curve) {
  std::vector<std::int64_t> sizes;
  for (const MessageSample& sample : curve.samples) sizes.push_back(sample.bytes);
  return sizes;
}

void hold_together(const std::string& what, const TimingCurve& measured, const std::vector<double>& found) {
  ASSERT_EQ(found.size(), measured.samples.size());
  std::printf("%s\n  %12s %14s %14s %8s\n", what.c_str(), "bytes", "measured (us)", "simulated (us)", "error");
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double expected = measured.samples[i].measured_s();
    errors.push_back(std::abs(found[i] / expected - 1));
    std::printf("  %12lld %14.3f %14.3f %+7.1f %%\n", static_cast<long long>(measured.samples[i].bytes), 1e6 * expected,
                1e6 * found[i], 100 * (found[i] / expected - 1));
  }
  const FitError error = summarise_errors(errors);
  std::printf("  error: median %.1f %%, 95th percentile %.1f %%, worst %.1f %%\n", 100 * error.median,
              100 * error.percentile95, 100 * error.worst);
  EXPECT_LE(error.median, kMedian) << what;
  EXPECT_LE(error.worst, kWorst) << what;
}

// Both timings of a place on the platform, timed as the calibration times them.
void reproduce(const std::string& name, const std::string& platform, const NetworkSection& section) {
  const NetworkPlace& place = section.remote ? *section.remote : *section.local;
  const std::vector<std::int64_t> sizes = sizes_of(place.one_way());
  hold_together(name + ", one way", place.one_way(),
                simulated(platform, 2, section, [&](int rank, std::vector<double>& out) {
                  for (const std::int64_t bytes : sizes) {
                    const double start_s = MPI_Wtime();
                    ping_pong(rank, bytes);
                    if (rank == 0) out.push_back(0.5 * (MPI_Wtime() - start_s));
                  }
                }));
  const std::vector<std::int64_t> exchanged = sizes_of(place.exchange());
  hold_together(name + ", exchange", place.exchange(),
                simulated(platform, 2, section, [&](int rank, std::vector<double>& out) {
                  for (const std::int64_t bytes : exchanged) {
                    const double start_s = MPI_Wtime();
                    exchange(1 - rank, 1 - rank, bytes);
                    if (rank == 0) out.push_back(MPI_Wtime() - start_s);
                  }
                }));
}

NetworkSection stored(const std::string& name) {
  return Profile::read(std::string(SOURCE_DIR) + "/tests/data/" + name).network();
}

NetworkSection idle_only(NetworkSection section) {
  for (std::optional<NetworkPlace>* place : {&section.local, &section.remote})
    if (*place) {
      (*place)->curves.erase(MessageTiming::one_way_computing);
      (*place)->curves.erase(MessageTiming::exchange_computing);
    }
  return section;
}

TEST(CalibratedNetwork, ReproducesSharedMemory) {
  const NetworkSection section = stored("network-shared-memory.json");
  ASSERT_TRUE(section.local && section.local->after_computing());
  reproduce("shared memory after computing", "node:2", section);
  reproduce("shared memory, idle", "node:2", idle_only(section));
}

// The same figures as if they were a network's: remote messages take factors of the platform that calibrate writes.
TEST(CalibratedNetwork, ReproducesThemOnThePlatformThatCalibrateWrites) {
  const NetworkSection section{{}, stored("network-shared-memory.json").local};
  ASSERT_TRUE(section.remote);
  const std::string file = "network_model_test_" + std::to_string(::getpid()) + ".xml";
  write_file(file, xml_platform(section, 2));
  reproduce("as remote, platform file", file, section);
  std::remove(file.c_str());
  reproduce("as remote, idle, one word", one_word_platform(section, 2), idle_only(section));
}

// Half the latency, twice the bandwidth of the reference: the same protocols over other links.
TEST(CalibratedNetwork, FactorsScaleWithThePlatform) {
  const NetworkSection section{{}, sample_place()};  // reference 1 us, 4 GB/s
  const auto found = simulated("crossbar:2,latency=500ns,bandwidth=8GBps", 2, section, [](int rank, auto& out) {
    for (const std::int64_t bytes : {1000, 1'000'000}) {
      const double start_s = MPI_Wtime();
      ping_pong(rank, bytes);
      if (rank == 0) out.push_back(0.5 * (MPI_Wtime() - start_s));
    }
    const double start_s = MPI_Wtime();
    exchange(1 - rank, 1 - rank, 1'000'000);
    if (rank == 0) out.push_back(MPI_Wtime() - start_s);
  });
  ASSERT_EQ(found.size(), 3U);
  expect_ratio_near_one("1000 B", 0.5e-6 + 1000 / 2e9, found[0], 1e-6);
  expect_ratio_near_one("1 MB", 1.5e-6 + 1e6 / 8e9, found[1], 1e-6);
  expect_ratio_near_one("1 MB, exchange", 3e-6 + 1e6 / 4e9, found[2], 1e-6);
}

// Four ranks, each sends to the next one: no two messages are opposite, so a ring's round takes one way.
TEST(CalibratedNetwork, ARingIsFreeOfTheSurcharge) {
  const auto found =
      simulated("crossbar:4,latency=1us,bandwidth=4GBps", 4, {{}, sample_place()}, [](int rank, auto& out) {
        const double start_s = MPI_Wtime();
        exchange((rank + 1) % 4, (rank + 3) % 4, 1'000'000);
        if (rank == 0) out.push_back(MPI_Wtime() - start_s);
      });
  ASSERT_EQ(found.size(), 1U);
  expect_ratio_near_one("1 MB round of a ring", 3e-6 + 1e6 / 4e9, found[0], 1e-6);
}

// The same place where shifts were measured: 5 us + n / 1 GB/s for the larger messages.
NetworkPlace place_with_shifts() {
  NetworkPlace place = sample_place();
  TimingCurve curve = place.curves.at(MessageTiming::one_way_idle);
  curve.segments[1] = {1025, 1 << 20, 5e-6, 1e9};
  place.curves[MessageTiming::shift_loaded] = curve;
  return place;
}

// Rounds of a ring take what a shift took, in every round; an exchange of two and a message alone what they took
// before.
TEST(CalibratedNetwork, ARingTakesShiftsWhereTheyWereMeasured) {
  for (const int ranks : {3, 4, 7}) {
    const auto found = simulated("crossbar:" + std::to_string(ranks) + ",latency=1us,bandwidth=4GBps", ranks,
                                 {{}, place_with_shifts()}, [ranks](int rank, auto& out) {
                                   const double start_s = MPI_Wtime();
                                   for (int round = 0; round < 5; ++round)
                                     exchange((rank + 1) % ranks, (rank + ranks - 1) % ranks, 1'000'000);
                                   if (rank == 0) out.push_back(MPI_Wtime() - start_s);
                                 });
    ASSERT_EQ(found.size(), 1U);
    // The first message finds nobody else sending and is one way: later rounds make up for no more than that.
    expect_ratio_near_one("5 rounds", 5 * (5e-6 + 1e6 / 1e9), found[0], 0.01);
  }
  const auto found =
      simulated("crossbar:2,latency=1us,bandwidth=4GBps", 2, {{}, place_with_shifts()}, [](int rank, auto& out) {
        const double start_s = MPI_Wtime();
        exchange(1 - rank, 1 - rank, 1'000'000);
        if (rank == 0) out.push_back(MPI_Wtime() - start_s);
        const double alone_s = MPI_Wtime();
        ping_pong(rank, 1'000'000);
        if (rank == 0) out.push_back(0.5 * (MPI_Wtime() - alone_s));
      });
  ASSERT_EQ(found.size(), 2U);
  expect_ratio_near_one("an exchange", 6e-6 + 1e6 / 2e9, found[0], 1e-6);
  expect_ratio_near_one("one way", 3e-6 + 1e6 / 4e9, found[1], 1e-6);
}

// An all-to-all of five ranks: nobody had a partner before the first round, all have another one in each round after
// it.
TEST(CalibratedNetwork, PartnersThatChangeTakeRotationsWhereTheyWereMeasured) {
  constexpr int kRanks = 5;
  const auto rounds_s = [](const NetworkPlace& place) {
    return simulated("crossbar:5,latency=1us,bandwidth=4GBps", kRanks, {{}, place}, [](int rank, auto& out) {
      for (int distance = 1; distance < kRanks; ++distance) {
        const double start_s = MPI_Wtime();
        exchange((rank + distance) % kRanks, (rank + kRanks - distance) % kRanks, 1'000'000);
        if (rank == 0) out.push_back(MPI_Wtime() - start_s);
      }
    });
  };
  const double shift_s = 5e-6 + 1e6 / 1e9, rotation_s = 5e-6 + 1e6 / 0.8e9;
  NetworkPlace place = place_with_shifts();
  for (const double seconds : rounds_s(place)) expect_ratio_near_one("not measured", shift_s, seconds, 0.01);
  TimingCurve curve = place.curves.at(MessageTiming::one_way_idle);
  curve.segments[1] = {1025, 1 << 20, 5e-6, 0.8e9};
  place.curves[MessageTiming::rotation_loaded] = curve;
  const std::vector<double> with = rounds_s(place);
  ASSERT_EQ(with.size(), 4U);
  for (std::size_t i = 0; i < with.size(); ++i)
    expect_ratio_near_one("measured", i == 0 ? shift_s : rotation_s, with[i], 0.01);
}

// Rank 0 of three exchanges with 1, 1, 2, 1: with the same one at first (nobody was before) and the second time.
TEST(CalibratedNetwork, ExchangesWithTheSameHaveTheirCurveWhereItWasMeasured) {
  const auto seconds = [](const NetworkPlace& place) {
    return simulated("crossbar:3,latency=1us,bandwidth=4GBps", 3, {{}, place}, [](int rank, auto& out) {
      for (const int partner : {1, 1, 2, 1}) {
        const double start_s = MPI_Wtime();
        if (rank == 0) exchange(partner, partner, 1'000'000);
        if (rank == partner) exchange(0, 0, 1'000'000);
        if (rank == 0) out.push_back(MPI_Wtime() - start_s);
      }
    });
  };
  const double changing_s = 6e-6 + 1e6 / 2e9, staying_s = 5e-6 + 1e6 / 2.5e9;
  NetworkPlace place = sample_place();
  const std::vector<double> without = seconds(place);
  TimingCurve curve = place.curves.at(MessageTiming::one_way_idle);
  curve.segments[1] = {1025, 1 << 20, 5e-6, 2.5e9};
  place.curves[MessageTiming::pair_loaded] = curve;
  const std::vector<double> with = seconds(place);
  ASSERT_EQ(without.size(), 4U);
  ASSERT_EQ(with.size(), 4U);
  const std::vector<double> expected{staying_s, staying_s, changing_s, changing_s};
  for (std::size_t i = 0; i < 4; ++i) {
    expect_ratio_near_one("not measured", changing_s, without[i], 0.01);
    expect_ratio_near_one("measured", expected[i], with[i], 0.01);
  }
}

// A factor for each segment, times one for all: of a segment all sizes and both parts of the time, the same in every
// run.
TEST(CalibratedNetwork, ADisturbanceIsAFactorForASegment) {
  const auto times = [](std::optional<std::uint64_t> seed, double error) {
    std::vector<double> out;
    NetworkPlace place = sample_place();
    for (auto& [timing, curve] : place.curves) curve.error.median = error;
    CalibratedNetwork network("a profile", {{}, place});
    if (seed) network.disturb(*seed);
    for (const std::int64_t bytes : {100, 1000, 10'000, 100'000})
      out.push_back(network.seconds(bytes, {1e-6, 4e9, false}));
    return out;
  };
  const auto plain = times({}, 0.1), one = times(1, 0.1), again = times(1, 0.1), other = times(2, 0.1);
  EXPECT_EQ(one, again);
  const auto exact = times(1, 0);
  EXPECT_NE(exact, plain);
  for (std::size_t i = 0; i < exact.size(); ++i)
    EXPECT_NEAR(exact[i] / plain[i], exact[0] / plain[0], 1e-12) << "curves without an error have the factor of all";
  EXPECT_NE(one[0] / plain[0], other[0] / plain[0]);
  for (const auto& disturbed : {one, other}) {
    EXPECT_NEAR(disturbed[0] / plain[0], disturbed[1] / plain[1], 1e-12);
    EXPECT_NEAR(disturbed[2] / plain[2], disturbed[3] / plain[3], 1e-12);
    EXPECT_NE(disturbed[1] / plain[1], disturbed[2] / plain[2]);
  }
  // Log-normal: half of a segment's own factors are within the median error, between 1/1.1 and 1.1, and two thirds of
  // those of all within a standard deviation.
  int within = 0, of_all_within = 0;
  constexpr int kDraws = 400;
  for (std::uint64_t seed = 0; seed < kDraws; ++seed) {
    const double of_all = times(seed, 0)[0] / plain[0], own = times(seed, 0.1)[0] / plain[0] / of_all;
    within += own > 1 / 1.1 && own < 1.1 ? 1 : 0;
    of_all_within += std::abs(std::log(of_all)) < kUnmodelledSpread ? 1 : 0;
  }
  EXPECT_NEAR(within, kDraws / 2, 40) << "four standard deviations of a binomial distribution";
  EXPECT_NEAR(of_all_within, 0.6827 * kDraws, 38) << "likewise";
}

// Ranks of one node take the local curve whatever the platform's figures, others the remote one.
TEST(CalibratedNetwork, NodesAreLocal) {
  NetworkPlace remote = sample_place();
  for (auto& [timing, curve] : remote.curves)
    for (CurveSegment& segment : curve.segments) segment.latency_s *= 10;
  remote.latency_s *= 10;
  const NetworkSection both{sample_place(), remote};
  const Body body = [](int rank, auto& out) {
    const double start_s = MPI_Wtime();
    ping_pong(rank, 1000);
    if (rank == 0) out.push_back(0.5 * (MPI_Wtime() - start_s));
  };
  const auto near = simulated("node:2,latency=123ns,bandwidth=77GBps", 2, both, body);
  const auto far = simulated("crossbar:2,latency=10us,bandwidth=4GBps", 2, both, body);
  ASSERT_EQ(near.size() + far.size(), 2U);
  expect_ratio_near_one("1000 B within a node", 1e-6 + 1000 / 1e9, near[0], 1e-6);
  expect_ratio_near_one("1000 B between nodes", 10e-6 + 1000 / 1e9, far[0], 1e-6);
}

TEST(CalibratedNetwork, CountsMessagesOfSizesThatWereNotMeasured) {
  const auto found = values_in_child([] {
    CalibratedNetwork network("a profile", {{}, sample_place()});
    Simulation simulation("crossbar:2,latency=1us,bandwidth=4GBps", {.ranks = 2});
    simulation.use_network(network, {0, 1});
    simulation.run({0, 1}, [&](int rank) {
      payloads_off(rank);
      ping_pong(rank, 1000);
      ping_pong(rank, 2'000'000);  // measured up to 1 MiB
    });
    return std::vector<double>{static_cast<double>(network.use().messages), network.use().seconds,
                               network.use().outside_s};
  });
  ASSERT_EQ(found.size(), 3U);
  const double inside_s = 2 * (1e-6 + 1000 / 1e9), outside_s = 2 * (3e-6 + 2e6 / 4e9);
  EXPECT_EQ(found[0], 4);
  EXPECT_NEAR(found[1], inside_s + outside_s, 1e-9);
  EXPECT_NEAR(found[2], outside_s, 1e-9);
}

}  // namespace
}  // namespace simtrain
