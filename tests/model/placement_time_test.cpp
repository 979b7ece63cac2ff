// What a placement costs: an all-gather by rings on all grid columns at once takes
//   (Pr - 1) (latency + k n / bandwidth)
// where n are the bytes of a block, and k is the number of flows on the busiest link of a round, counted by hand. With
// the columns placed so that k = 1, and so that k > 1, on each family of platforms.
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/placement/placement.hpp"
#include "sim/platform/spec.hpp"
#include "sim/prediction/machine.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/values_in_child.hpp"
#include "train/collective.hpp"

namespace simtrain {
namespace {

using Kind = Placement::Kind;

struct Case {
  std::string platform;
  Grid grid;
  int per_host = 1;
  std::int64_t block_bytes = 1 << 20;
};

// Seconds until the last column is done.
double gather_s(const Case& job, Kind kind) {
  const auto values = values_in_child([&]() -> std::vector<double> {
    Simulation simulation(job.platform, {.ranks = job.grid.size()});
    const std::vector<int> hosts = place({kind, 1, {}}, job.grid, job.per_host, host_space(simulation, true));
    const AnalyticCost cost;
    PricedOperations prices(cost, 1);
    const Partition blocks{job.grid.rows * job.block_bytes / 4, job.grid.rows};
    double end_s = 0, begin_s = 0;
    simulation.run(hosts, [&](int rank) {
      Collectives collectives(job.grid, job.grid.coordinates(rank), false);
      payloads_off(rank);
      ModelledKernels kernels(prices, charge_compute);
      const Buffer data = kernels.allocate(blocks.size());
      simulation.align();
      begin_s = simulation.clock_s();
      (void)collectives.run(CollectiveOp::all_gather, Algorithm::ring, Collectives::Scope::grid_column, data, blocks,
                            kernels.allocate(1), kernels, 0);
      end_s = std::max(end_s, simulation.clock_s());
    });
    return {end_s - begin_s};
  });
  return values.empty() ? 0 : values[0];
}

double round_s(const Case& job, double latency_s, double flows, double bandwidth_Bps) {
  return latency_s + flows * static_cast<double>(job.block_bytes + kEnvelopeBytes) / bandwidth_Bps;
}

// Columns of 8 along x of a torus 8x2: one hop of their own. Along rows of two, ranks of a column are two hops apart,
// and each link to the right carries the flows of both columns: the one that begins there and the one that passes.
TEST(PlacementTime, ATorusWantsColumnsAlongADimension) {
  const Case job{"torus:8x2,bandwidth=1GBps,latency=1ns", {8, 2}};
  expect_ratio_near_one("torus, column-major", 7 * round_s(job, 1e-9, 1, 1e9), gather_s(job, Kind::column_major), 1e-3);
  expect_ratio_near_one("torus, row-major", 7 * round_s(job, 1e-9, 2, 1e9), gather_s(job, Kind::row_major), 0.02);
}

// One ring through 4x4 with messages so short that their latency counts: at the end of a line of hosts, column-major
// goes round in x and on in y, two links; a snake turns. Every round waits for the longest way.
TEST(PlacementTime, ASnakeHasNoTwoHops) {
  const Case job{"torus:4x4,bandwidth=1GBps,latency=1ms", {16, 1}, 1, 4};
  expect_ratio_near_one("torus, column-major", 15 * 2e-3, gather_s(job, Kind::column_major), 0.1);
  expect_ratio_near_one("torus, snake", 15 * 1e-3, gather_s(job, Kind::snake), 1e-3);
}

// Four leaves of four hosts, one uplink each (4:1): columns within leaves need none; with rows within leaves all four
// columns cross from leaf to leaf, on one uplink.
TEST(PlacementTime, AnOversubscribedFatTreeWantsColumnsOnLeaves) {
  const Case job{"fat-tree:4x4,up=1,bandwidth=1GBps,latency=1ns", {4, 4}};
  expect_ratio_near_one("fat tree, column-major", 3 * round_s(job, 2e-9, 1, 1e9), gather_s(job, Kind::column_major),
                        1e-3);
  expect_ratio_near_one("fat tree, row-major", 3 * round_s(job, 4e-9, 4, 1e9), gather_s(job, Kind::row_major), 1e-3);
}

// Columns of three on leaves of four: column-major breaks the second one (hosts 3, 4, 5) and the third (6, 7, 8), both
// of which use the uplink of leaf 1. Blocks leave a host of each leaf free.
TEST(PlacementTime, BlocksKeepColumnsWhole) {
  const Case job{"fat-tree:4x4,up=1,bandwidth=1GBps,latency=1ns", {3, 4}};
  expect_ratio_near_one("fat tree, column-major", 2 * round_s(job, 4e-9, 2, 1e9), gather_s(job, Kind::column_major),
                        1e-3);
  expect_ratio_near_one("fat tree, blocks", 2 * round_s(job, 2e-9, 1, 1e9), gather_s(job, Kind::blocks), 1e-3);
}

// Four nodes of four ranks: columns within a node talk through its memory; across nodes all four share its link.
TEST(PlacementTime, NodesWantColumnsInside) {
  const Case job{"ethernet:4,bandwidth=1GBps,latency=1ns", {4, 4}, 4};
  expect_ratio_near_one("nodes, column-major", 3 * round_s(job, kLoopbackLatency_s, 1, kLoopbackBandwidth_Bps),
                        gather_s(job, Kind::column_major), 1e-3);
  expect_ratio_near_one("nodes, row-major", 3 * round_s(job, 2e-9, 4, 1e9), gather_s(job, Kind::row_major), 1e-3);
}

// A dragonfly of four groups, each of four routers with four nodes, one link between any two routers of a group and any
// two groups. Columns of 16 in a group of their own need a link between routers once. With rows of four on routers, all
// four columns go from router to router together.
TEST(PlacementTime, ADragonflyWantsColumnsInGroups) {
  const Case job{
      "dragonfly:4x4x4,bandwidth=1GBps,latency=1ns,local-bandwidth=1GBps,local-latency=1ns,global-bandwidth=1GBps,"
      "global-latency=1ns,global=1",
      {16, 4}};
  expect_ratio_near_one("dragonfly, column-major", 15 * round_s(job, 3e-9, 1, 1e9), gather_s(job, Kind::column_major),
                        1e-3);
  expect_ratio_near_one("dragonfly, row-major", 15 * round_s(job, 5e-9, 4, 1e9), gather_s(job, Kind::row_major), 0.02);
}

// The shipped Ethernet: switches of 32 hosts at 125 MB/s, uplinks of 1.25 GB/s.
TEST(PlacementTime, TheShippedEthernetWantsColumnsOnSwitches) {
  const Case job{SOURCE_DIR "/platforms/ethernet.xml", {8, 32}};
  const double near = gather_s(job, Kind::column_major), far = gather_s(job, Kind::row_major);
  expect_ratio_near_one("Ethernet, column-major", 7 * round_s(job, 48e-6, 1, 125e6), near, 0.05);
  // Rows of 32 fill switches: each of the 32 columns crosses, 32 flows of 125 MB/s on an uplink of 1.25 GB/s.
  expect_ratio_near_one("Ethernet, row-major", 7 * round_s(job, 72e-6, 32, 1.25e9), far, 0.05);
}

}  // namespace
}  // namespace simtrain
