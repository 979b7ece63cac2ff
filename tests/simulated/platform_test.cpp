// Platforms in the simulation: do latency, bandwidth and the order of hosts mean what the specification says?
#include <gtest/gtest.h>
#include <smpi/smpi.h>

#include <numeric>

#include "base/error.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/simulated/in_child.hpp"

namespace simtrain {
namespace {

std::string shipped(const std::string& name) { return std::string(SOURCE_DIR) + "/platforms/" + name; }

std::vector<int> one_rank_per_host(int ranks) {
  std::vector<int> hosts(static_cast<std::size_t>(ranks));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

double latency_s(const Simulation& simulation, int from, int to) {
  const std::pair<int, int> pair{from, to};
  return simulation.routes({&pair, 1}).mean_latency_s;
}

// Seconds of one message of n bytes from rank 0 to rank 1, no data in it.
double message_seconds(const std::string& platform, const std::vector<int>& host_of_rank, int bytes) {
  Simulation simulation(platform, {.ranks = static_cast<std::int64_t>(host_of_rank.size())});
  double seconds = 0;
  simulation.run(host_of_rank, [&](int rank) {
    payloads_off(rank);
    simulation.align();
    char dummy = 0;
    const double start = MPI_Wtime();
    if (rank == 0) MPI_Send(&dummy, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&dummy, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) seconds = MPI_Wtime() - start;
  });
  return seconds;
}

// alpha + n beta, with n as SMPI counts it.
double alpha_beta(double latency, double bytes, double bandwidth_Bps) {
  return latency + (bytes + kEnvelopeBytes) / bandwidth_Bps;
}

void expect_seconds(double actual, double expected) { EXPECT_NEAR(actual, expected, 1e-6 * expected); }

TEST(Crossbar, MessageTakesAlphaPlusBytesTimesBeta) {
  for (const int bytes : {1, 1000, 1 << 20, 1 << 30})
    in_child([&] {
      expect_seconds(message_seconds("crossbar:4,latency=3us,bandwidth=2GBps", {0, 1}, bytes),
                     alpha_beta(3e-6, bytes, 2e9));
    });
}

TEST(Crossbar, LatencyMayBeZero) {
  in_child([] {
    expect_seconds(message_seconds("crossbar:4,latency=0s,bandwidth=2GBps", {2, 1}, 1 << 20),
                   alpha_beta(0, 0x1p20, 2e9));
  });
}

TEST(Ethernet, RouteCrossesTwoLinksAndTheBackboneLimits) {
  in_child([] {
    expect_seconds(message_seconds("ethernet:3,latency=5us,bandwidth=1GBps", {0, 2}, 1 << 20),
                   alpha_beta(2 * 5e-6, 0x1p20, 1e9));
  });
  in_child([] {
    expect_seconds(message_seconds("ethernet:3,latency=5us,bandwidth=1GBps,backbone=250MBps", {0, 2}, 1 << 20),
                   alpha_beta(2 * 5e-6, 0x1p20, 250e6));
  });
}

TEST(Loopback, RanksOfOneHostDoNotUseTheNetwork) {
  for (const char* platform : {"crossbar:4,latency=1ms,bandwidth=1MBps", "torus:4x4,latency=1ms,bandwidth=1MBps",
                               "fat-tree:4x4,latency=1ms,bandwidth=1MBps"})
    in_child([&] { expect_seconds(message_seconds(platform, {1, 1}, 1 << 20), alpha_beta(100e-9, 0x1p20, 20e9)); });
}

// Hops between hosts of a torus, counted dimension by dimension, the shorter way round.
int hops(int from, int to, const std::vector<int>& shape) {
  int sum = 0;
  for (const int side : shape) {
    const int distance = std::abs(from % side - to % side);
    sum += std::min(distance, side - distance);
    from /= side;
    to /= side;
  }
  return sum;
}

TEST(Torus, LatencyCountsHopsBetweenAllPairs) {
  in_child([] {
    const std::vector<int> shape{5, 4, 3};
    const Simulation simulation("torus:5x4x3,latency=1us", {.ranks = 1});
    for (int from = 0; from < 60; ++from)
      for (int to = 0; to < 60; ++to) {
        if (from == to) continue;
        EXPECT_NEAR(latency_s(simulation, from, to), 1e-6 * hops(from, to, shape), 1e-12) << from << " to " << to;
      }
  });
}

TEST(Torus, ThreeHopsTakeThreeLatencies) {
  in_child([] {  // (0,0,0) to (1,1,1) of 8x8x4
    expect_seconds(message_seconds("torus:8x8x4,latency=2us,bandwidth=1GBps", {0, 1 + 8 + 64}, 1 << 20),
                   alpha_beta(3 * 2e-6, 0x1p20, 1e9));
  });
}

TEST(Torus, ShippedFileOrdersHostsAsTheTorusDoes) {
  in_child([] {
    const std::vector<int> shape{8, 8, 4};
    const Simulation simulation(shipped("torus.xml"), {.ranks = 1});
    ASSERT_EQ(simulation.platform().hosts.size(), 256U);
    for (int from = 0; from < 256; ++from)
      for (const int to : {from ^ 1, (from + 8) % 256, (from + 64) % 256, 255 - from})
        EXPECT_NEAR(latency_s(simulation, from, to), 400e-9 * hops(from, to, shape), 1e-12) << from << " to " << to;
    EXPECT_EQ(simulation.platform().host_memory_bytes.value(), 96.0 * (1 << 30));
    EXPECT_EQ(simulation.platform().description, "3-D torus 8x8x4, links of 6 GB/s and 400 ns");
  });
}

TEST(FatTree, RoutesClimbAsFarAsTheyMust) {
  in_child([] {
    const Simulation simulation("fat-tree:4x3x2,latency=1us", {.ranks = 1});
    ASSERT_EQ(simulation.platform().hosts.size(), 24U);
    for (int from = 0; from < 24; ++from)
      for (int to = 0; to < 24; ++to) {
        if (from == to) continue;
        const int links = from / 4 == to / 4 ? 2 : from / 12 == to / 12 ? 4 : 6;
        EXPECT_NEAR(latency_s(simulation, from, to), 1e-6 * links, 1e-12) << from << " to " << to;
      }
    EXPECT_EQ(simulation.links(), 2 * (24 + 24 + 24) + 24 + 1);  // cables both ways, loopbacks, SimGrid's own
  });
}

// Four hosts of a leaf switch each send to a host of the other leaf switch.
double shift_seconds(const std::string& platform) {
  Simulation simulation(platform, {.ranks = 8});
  simulation.run(one_rank_per_host(8), [&](int rank) {
    payloads_off(rank);
    char in = 0, out = 0;
    MPI_Sendrecv(&out, 1 << 30, MPI_BYTE, (rank + 4) % 8, 0, &in, 1 << 30, MPI_BYTE, (rank + 4) % 8, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  });
  return simulation.clock_s();
}

TEST(FatTree, UplinksLimitWhatLeavesALeafSwitch) {
  for (const int uplinks : {4, 2, 1})
    in_child([&] {
      EXPECT_NEAR(shift_seconds("fat-tree:4x2,latency=1us,bandwidth=1GBps,up=" + std::to_string(uplinks)),
                  0x1p30 / 1e9 * 4 / uplinks, 1e-4);
    });
}

TEST(AllFamilies, RingExchangeIsFullDuplex) {
  for (const char* platform : {"torus:6,latency=1us,bandwidth=1GBps", "crossbar:6,latency=1us,bandwidth=1GBps",
                               "ethernet:6,latency=1us,bandwidth=1GBps"})
    in_child([&] {
      Simulation simulation(platform, {.ranks = 6});
      simulation.run(one_rank_per_host(6), [](int rank) {
        payloads_off(rank);
        char in = 0, out = 0;
        const int next = (rank + 1) % 6, previous = (rank + 5) % 6;
        std::vector<MPI_Request> requests(4);
        for (const int way : {0, 1}) {  // both directions at once
          MPI_Irecv(&in, 1 << 29, MPI_BYTE, way == 0 ? previous : next, way, MPI_COMM_WORLD, &requests[2U * way]);
          MPI_Isend(&out, 1 << 29, MPI_BYTE, way == 0 ? next : previous, way, MPI_COMM_WORLD, &requests[2U * way + 1]);
        }
        MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
      });
      // A torus has a cable for each neighbour; elsewhere both messages share the host's one cable each way.
      const double messages_per_cable = std::string(platform).starts_with("torus") ? 1 : 2;
      EXPECT_NEAR(simulation.clock_s(), messages_per_cable * 0x1p29 / 1e9, 1e-5);
    });
}

TEST(Ethernet, ShippedFileHasSlowerRoutesBetweenSwitches) {
  in_child([] {
    const Simulation simulation(shipped("ethernet.xml"), {.ranks = 1});
    ASSERT_EQ(simulation.platform().hosts.size(), 256U);
    EXPECT_NEAR(latency_s(simulation, 0, 31), 48e-6, 1e-12);
    EXPECT_NEAR(latency_s(simulation, 31, 32), 72e-6, 1e-12);
    EXPECT_NEAR(latency_s(simulation, 255, 0), 72e-6, 1e-12);
    const std::pair<int, int> pair{0, 255};
    EXPECT_DOUBLE_EQ(simulation.routes({&pair, 1}).narrowest_Bps, 125e6);
  });
}

TEST(FatTree, ShippedFileHas288Hosts) {
  in_child([] {
    const Simulation simulation(shipped("fat-tree.xml"), {.ranks = 1});
    ASSERT_EQ(simulation.platform().hosts.size(), 288U);
    EXPECT_NEAR(latency_s(simulation, 0, 17), 1e-6, 1e-12);
    EXPECT_NEAR(latency_s(simulation, 17, 18), 2e-6, 1e-12);
  });
}

TEST(Summary, CountsHostsWithoutASimulation) {
  EXPECT_EQ(summarise_platform("torus:16x16x16").hosts, 4096);
  const PlatformSummary torus = summarise_platform(shipped("torus.xml"));
  EXPECT_EQ(torus.hosts, 256);
  EXPECT_EQ(torus.description, "3-D torus 8x8x4, links of 6 GB/s and 400 ns");
}

TEST(Size, BuildsATorusOf4096Hosts) {
  in_child([] {
    const Simulation simulation("torus:16x16x16", {.ranks = 1});
    EXPECT_EQ(simulation.platform().hosts.size(), 4096U);
    EXPECT_NEAR(latency_s(simulation, 0, 4095), 3 * 400e-9, 1e-12);
  });
}

}  // namespace
}  // namespace simtrain
