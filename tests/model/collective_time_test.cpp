// Does a simulated collective take what the alpha-beta model says, where nothing contends? The textbook formulas are
// worked out here; they are also compared with train/cost.hpp, which must agree on the clocks of ranks out of step.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/modelled.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/values_in_child.hpp"
#include "train/collective.hpp"
#include "train/cost.hpp"

namespace simtrain {
namespace {

constexpr double kAlpha = 2e-6, kBandwidth = 6e9;
constexpr double kTolerance = 0.005;  // the bar; what is seen is below 1e-6

std::string crossbar(int hosts) { return "crossbar:" + std::to_string(hosts) + ",bandwidth=6GBps,latency=2us"; }

// When each of `members` ranks, the i-th of which starts at starts[i], has finished the collective on the crossbar.
std::vector<double> simulated_ends(CollectiveOp operation, Algorithm algorithm, std::int64_t floats,
                                   const std::vector<double>& starts) {
  const auto members = static_cast<int>(starts.size());
  std::vector<double> ends(starts.size());
  std::vector<int> hosts(starts.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  const AnalyticCost free_kernels{};
  PricedOperations prices(free_kernels, 1);
  Simulation simulation(crossbar(members), {.ranks = members});
  simulation.run(hosts, [&](int rank) {
    const Grid grid{members, 1};
    Collectives collectives(grid, grid.coordinates(rank), false);
    payloads_off(rank);
    ModelledKernels kernels(prices, charge_compute);
    const Buffer data = kernels.allocate(floats), scratch = kernels.allocate(floats);
    charge_compute(starts[static_cast<std::size_t>(rank)]);
    collectives.run(operation, algorithm, Collectives::Scope::grid_column, data, {floats, members}, scratch, kernels,
                    0);
    ends[static_cast<std::size_t>(rank)] = MPI_Wtime();
  });
  return ends;
}

double last(const std::vector<double>& ends) { return *std::max_element(ends.begin(), ends.end()); }

// Rounds and bytes of a member, p a power of two and even blocks: Thakur, Rabenseifner, Gropp 2005, sections 3 and 4.
struct Textbook {
  double rounds, bytes;
};
Textbook textbook(CollectiveOp operation, Algorithm algorithm, double p, double n) {
  const double logp = std::log2(p), once = n * (p - 1) / p;
  const double half_rounds = algorithm == Algorithm::ring ? p - 1 : logp;
  if (operation != CollectiveOp::all_reduce) return {half_rounds, once};
  if (algorithm == Algorithm::recursive_doubling) return {logp, n * logp};
  return {2 * half_rounds, 2 * once};
}

class CollectiveTime : public ::testing::TestWithParam<std::tuple<CollectiveOp, Algorithm, int>> {};

TEST_P(CollectiveTime, IsTheTextbookFormula) {
  const auto [operation, algorithm, members] = GetParam();
  for (const std::int64_t floats : {std::int64_t{64}, std::int64_t{1} << 14, std::int64_t{1} << 24}) {
    const Textbook cost = textbook(operation, algorithm, members, 4.0 * static_cast<double>(floats));
    const auto ends = values_in_child([&, op = operation, algo = algorithm, p = members] {
      return simulated_ends(op, algo, floats, std::vector<double>(static_cast<std::size_t>(p), 0.0));
    });
    ASSERT_FALSE(ends.empty());
    expect_ratio_near_one(std::string(name_of(operation)) + " " + std::string(name_of(algorithm)) + ", " +
                              std::to_string(members) + " ranks, " + std::to_string(floats) + " floats",
                          cost.rounds * kAlpha + cost.bytes / kBandwidth, last(ends), kTolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Crossbar, CollectiveTime,
                         ::testing::Combine(::testing::Values(CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
                                                              CollectiveOp::all_reduce),
                                            ::testing::Values(Algorithm::ring, Algorithm::recursive_doubling,
                                                              Algorithm::rabenseifner, Algorithm::bruck),
                                            ::testing::Values(2, 8, 32)));

// Ranks that start at different times, group sizes that are no powers of two, blocks that differ: rank by rank.
TEST(CollectiveClocks, AgreeWithTheSimulationRankByRank) {
  const AlphaBeta network{kAlpha, 1 / kBandwidth};
  for (const int members : {3, 5, 7, 12})
    for (const auto operation : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce})
      for (const auto algorithm :
           {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck}) {
        const std::int64_t floats = 10'007;
        std::vector<double> starts(static_cast<std::size_t>(members));
        for (int i = 0; i < members; ++i) starts[static_cast<std::size_t>(i)] = 1e-6 * ((i * 7) % 5);
        std::vector<double> expected = starts;
        advance_clocks(
            operation, algorithm, {floats, members}, network, [](std::int64_t) { return 0.0; }, expected);
        const auto found = values_in_child([&] { return simulated_ends(operation, algorithm, floats, starts); });
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
          EXPECT_NEAR(found[i] / expected[i], 1, kTolerance)
              << name_of(operation) << " " << name_of(algorithm) << " member " << i << " of " << members;
      }
}

}  // namespace
}  // namespace simtrain
