// What links carry: against formulas of the traffic, in both details, whatever is warmed up.
#include <gtest/gtest.h>

#include <numeric>

#include "base/options.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/merged.hpp"
#include "sim/prediction/facts.hpp"
#include "sim/prediction/machine.hpp"
#include "tests/simulated/in_child.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/values_in_child.hpp"
#include "train/collective.hpp"
#include "train/summary.hpp"
#include "train/trainer.hpp"

namespace simtrain {
namespace {

// Bytes on each link after so many all-reduces over the grid's columns and then its rows; only what follows the first
// `uncounted` of them counts.
std::vector<double> carried(const std::string& platform, Grid grid, Algorithm algorithm, std::int64_t floats,
                            bool merged, int repetitions = 1, int uncounted = 0) {
  return values_in_child([&]() -> std::vector<double> {
    Simulation simulation(platform, {.ranks = grid.size()});
    std::vector<int> hosts(static_cast<std::size_t>(grid.size()));
    std::iota(hosts.begin(), hosts.end(), 0);
    std::unique_ptr<MergedRounds> merging;
    if (merged) merging = std::make_unique<MergedRounds>(simulation, hosts, grid);
    const AnalyticCost cost;
    PricedOperations prices(cost, 1);
    simulation.run(hosts, [&](int rank) {
      Collectives collectives(grid, grid.coordinates(rank), false, kLargestMessageBytes, merging.get());
      payloads_off(rank);
      ModelledKernels kernels(prices, charge_compute);
      const Buffer data = kernels.allocate(floats), scratch = kernels.allocate(floats);
      for (int i = 0; i < uncounted + repetitions; ++i) {
        simulation.align();
        if (i == uncounted) simulation.count_from_now();
        for (const auto& [scope, members] : {std::pair{Collectives::Scope::grid_column, grid.rows},
                                             std::pair{Collectives::Scope::grid_row, grid.columns}})
          (void)collectives.run(CollectiveOp::all_reduce, algorithm, scope, data, {floats, members}, scratch, kernels,
                                0);
      }
    });
    if (merging) merging->count_rings();
    return simulation.carried_bytes();
  });
}

// A ring of four in x, two of them: each member sends all blocks but its own, then all but its successor's, 6 messages
// of n / 4 floats. Ring of two in y: 2 messages of n / 2. All to the right, over one link each.
TEST(Links, OfATorusCarryWhatRingsSend) {
  constexpr double n = 4000;
  const std::vector<double> bytes = carried("torus:4x2", {4, 2}, Algorithm::ring, 1000, false);
  ASSERT_EQ(bytes.size(), 32U);  // x+, x-, y+, y- of eight hosts
  for (std::size_t host = 0; host < 8; ++host) {
    EXPECT_EQ(bytes[host], 6 * (n / 4 + kEnvelopeBytes)) << "x+ of " << host;
    EXPECT_EQ(bytes[8 + host], 0) << "x- of " << host;
    // From y = 0 to 1 it is as far either way: even coordinates go right, odd ones left.
    EXPECT_EQ(bytes[16 + host], host < 4 ? 2 * (n / 2 + kEnvelopeBytes) : 0) << "y+ of " << host;
    EXPECT_EQ(bytes[24 + host], host < 4 ? 0 : 2 * (n / 2 + kEnvelopeBytes)) << "y- of " << host;
  }
}

// On the links of rings, and of rings that cross others, with blocks alike and not.
TEST(Links, CarryTheSameInBothDetails) {
  struct Case {
    const char* platform;
    Grid grid;
    Algorithm algorithm;
    std::int64_t floats;
  };
  for (const Case& job :
       {Case{"torus:4x4", {4, 4}, Algorithm::ring, 4096},          // rings by formula
        Case{"torus:4x4", {4, 4}, Algorithm::ring, 4099},          // blocks of unequal length
        Case{"torus:4x4", {4, 4}, Algorithm::ring, 3},             // fewer than members
        Case{"torus:4x2x2", {4, 4}, Algorithm::ring, 4099},        // rows two to a link
        Case{"fat-tree:4x4,up=1", {4, 4}, Algorithm::ring, 4096},  // rows four to a link
        Case{"fat-tree:4x4,up=1", {4, 4}, Algorithm::ring, 4099},
        Case{"ethernet:12,backbone=1GBps", {4, 3}, Algorithm::ring, 1000},
        Case{"torus:4x4", {8, 2}, Algorithm::rabenseifner, 4099}, Case{"torus:4x4", {5, 3}, Algorithm::bruck, 1001}}) {
    const std::string what = std::string(job.platform) + " " + to_string(job.grid) + " " +
                             std::string(name_of(job.algorithm)) + " " + std::to_string(job.floats);
    const auto messages = carried(job.platform, job.grid, job.algorithm, job.floats, false);
    const auto merged = carried(job.platform, job.grid, job.algorithm, job.floats, true);
    ASSERT_FALSE(messages.empty());
    EXPECT_GT(std::accumulate(messages.begin(), messages.end(), 0.0), 0) << what;
    EXPECT_EQ(messages, merged) << what;
  }
}

// What `--detail auto` asks: rings on links of their own may be merged whatever ranks compute, those that share links
// as long as ranks are equally fast. Within hosts nothing is shared, however many ranks talk there.
TEST(Links, DecideWhetherRoundsMayBeMerged) {
  struct Case {
    const char* platform;
    std::vector<int> hosts;
    bool equally_fast, else_too;
  };
  std::vector<int> one_each(16), four_each(16);
  std::iota(one_each.begin(), one_each.end(), 0);
  for (int rank = 0; rank < 16; ++rank) four_each[static_cast<std::size_t>(rank)] = rank % 4;
  for (const Case& job : {Case{"torus:4x4", one_each, true, true}, Case{"fat-tree:4x4,up=1", one_each, true, false},
                          Case{"ethernet:4", four_each, true, false}})
    in_child([&] {
      Simulation simulation(job.platform, {.ranks = 16});
      const MergedRounds merging(simulation, job.hosts, {4, 4});
      EXPECT_EQ(merging.known_to_be_near(true), job.equally_fast) << job.platform;
      EXPECT_EQ(merging.known_to_be_near(false), job.else_too) << job.platform;
    });
}

TEST(Links, ForgetWhatWasCarriedBefore) {
  const auto once = carried("torus:4x2", {4, 2}, Algorithm::ring, 1000, false);
  EXPECT_EQ(carried("torus:4x2", {4, 2}, Algorithm::ring, 1000, false, 1, 3), once);
  std::vector<double> twice = carried("torus:4x2", {4, 2}, Algorithm::ring, 1000, false, 2);
  for (double& bytes : twice) bytes /= 2;
  EXPECT_EQ(twice, once);
}

// Two hosts and 1000 bytes per float block each way: bytes / (bandwidth x time).
TEST(Links, UtilisationIsBytesOverBandwidthAndTime) {
  in_child([] {
    Simulation simulation("fat-tree:2x2,up=1,bandwidth=1GBps", {.ranks = 4});
    simulation.degrade_link(0, 0.5);
    simulation.count(0, 2, 3e6);
    const LinksResult links = describe_links(simulation, 3, 0.01);  // 1 MB an iteration of 10 ms
    EXPECT_EQ(links.used, 4);
    EXPECT_EQ(links.count(), 12);
    ASSERT_EQ(links.classes.size(), 4U);
    EXPECT_EQ(links.classes[0].name, "host up");
    EXPECT_DOUBLE_EQ(links.classes[0].bytes, 1e6);
    EXPECT_NEAR(links.classes[0].max_utilisation, 1e6 / (0.5e9 * 0.01), 1e-12);
    EXPECT_NEAR(links.classes[0].mean_utilisation, 0.2 / 4, 1e-12);
    EXPECT_NEAR(links.classes[2].mean_utilisation, 0.1 / 2, 1e-12);
    ASSERT_EQ(links.busiest.size(), 4U);
    EXPECT_EQ(links.busiest[0].name, "host up of host 0");
    EXPECT_NEAR(links.busiest[0].utilisation, 0.2, 1e-12);
    EXPECT_EQ(links.busiest[1].name, "host down of host 2");  // then by number
    EXPECT_NE(links.busiest[2].name.find("leaf up of leaf 0 to core"), std::string::npos) << links.busiest[2].name;
  });
}

// A file's links have its names; loopbacks are not among them, and classes are names without their numbers.
TEST(Links, OfAFile) {
  in_child([] {
    Simulation simulation(SOURCE_DIR "/tests/data/two-cabinets.xml", {.ranks = 24});
    EXPECT_EQ(simulation.platform().links.size(), 2U * 24 + 1);
    simulation.count(0, 0, 1e6);
    simulation.count(0, 23, 1e6);
    const LinksResult links = describe_links(simulation, 1, 1);
    EXPECT_EQ(links.used, 3);  // up, backbone, down
    std::int64_t backbones = 0;
    for (const LinkClassResult& one : links.classes)
      if (one.name.find("backbone-*") != std::string::npos) backbones += one.count;
    EXPECT_EQ(backbones, 1);
  });
}

}  // namespace
}  // namespace simtrain
