// Does training by simulated ranks, with real numbers over a simulated network, compute what serial training computes?
// On every grid of up to 8 ranks, as `simtrain --numerics real` does it: computing takes simulated time, so that ranks
// with blocks of different sizes run out of step.
#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>

#include "kernels/blas_kernels.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/simulated/in_child.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/training_comparison.hpp"
#include "train/summary.hpp"

namespace simtrain {
namespace {

constexpr int kMostRanks = 8;

void compare(const SerialTraining& serial, Grid grid, Algorithm algorithm, Gather gather,
             const Strategy& strategy = {}) {
  in_child([&] {
    use_blas_threads(1);
    const Plan plan = serial.plan(grid, algorithm, gather, strategy);
    std::vector<int> hosts(static_cast<std::size_t>(grid.size()));
    std::iota(hosts.begin(), hosts.end(), 0);
    const AnalyticCost cost;
    PricedOperations prices(cost, 1);
    Simulation simulation("torus:4x2", {.ranks = grid.size(), .real_payloads = true});
    Summary summary(plan);
    simulation.run(hosts, [&](int rank) {
      const Coordinates me = grid.coordinates(rank);
      ModelledKernels kernels(prices, charge_compute, std::make_unique<BlasKernels>([] { return 0.0; }));
      summary.add(serial.train_and_compare(plan, me, kernels));
    });
    const Result result = summary.finish();
    serial.compare_losses(result.losses);
    EXPECT_GT(result.iteration_s, 0);  // it was simulated
  });
}

template <typename Body>
void for_each_grid(const Body& body) {
  for (int ranks = 1; ranks <= kMostRanks; ++ranks)
    for (const Grid grid : grids_of(ranks)) body(grid);
}

// The comparison asks a fair question: a change as small as rounding's changes the answer by as little.
TEST(SerialTraining, HasOneAnswer) {
  constexpr double kRounding = 1e-7;
  constexpr int kTimes = 10;
  std::vector<TrainingCase> jobs = kSplitCases;
  jobs.push_back(kWholeBatchCase);
  jobs.insert(jobs.end(), {kTallCase, kPairsCase});
  for (const TrainingCase& job : jobs)
    for (std::uint64_t i = 0; i < kTimes; ++i)
      EXPECT_LT(SerialTraining(job).distance(SerialTraining(job, kRounding, i)), kTrainingTolerance / 10) << job.name;
}

TEST(SimulatedTraining, EqualsSerialOnEveryGrid) {
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    for_each_grid([&](Grid grid) {
      for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
        SCOPED_TRACE(job.name + " on " + to_string(grid) + " gathering " + std::string(name_of(gather)));
        compare(serial, grid, Algorithm::automatic, gather);
      }
    });
  }
}

TEST(SimulatedTraining, EqualsSerialWithEveryCollective) {
  const SerialTraining serial(kSplitCases[1]);
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck, Algorithm::mpi})
    for_each_grid([&](Grid grid) {
      SCOPED_TRACE(std::string(name_of(algorithm)) + " on " + to_string(grid));
      compare(serial, grid, algorithm, Gather::after_pooling);
    });
}

TEST(SimulatedTraining, EqualsSerialOnSeveralGridsAtOnce) {
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
      const std::vector<Grid> grids = grids_of(ranks);
      const std::vector<Strategy> mixes = serial.mixes(ranks);
      for (std::size_t i = 0; i < mixes.size(); ++i) {
        const Grid grid = grids[i % grids.size()];
        SCOPED_TRACE(job.name + ", " + to_string(mixes[i]) + ", else on " + to_string(grid));
        compare(serial, grid, i % 3 == 2 ? Algorithm::mpi : Algorithm::automatic,
                i % 2 == 0 ? Gather::after_pooling : Gather::before_pooling, mixes[i]);
      }
    }
  }
}

TEST(SimulatedTraining, EqualsSerialWithImagesInStrips) {
  std::vector<TrainingCase> jobs = kSplitCases;
  jobs.push_back(kTallCase);
  for (const TrainingCase& job : jobs) {
    const SerialTraining serial(job);
    for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
      const std::vector<Grid> grids = serial.grids(ranks);
      const std::vector<Strategy> cuts = serial.cuts(ranks);
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        const Grid grid = grids[i % grids.size()];
        SCOPED_TRACE(job.name + ", " + to_string(cuts[i]) + ", else on " + to_string(grid));
        compare(serial, grid, i % 3 == 2 ? Algorithm::mpi : Algorithm::automatic,
                i % 2 == 0 ? Gather::after_pooling : Gather::before_pooling, cuts[i]);
      }
    }
  }
}

TEST(SimulatedTraining, EqualsSerialWithLayersSplitByColumns) {
  std::size_t turn = 0;
  for (const TrainingCase& job : {kSplitCases[1], kSplitCases[2], kTallCase, kPairsCase}) {
    const SerialTraining serial(job);
    for (int ranks = 1; ranks <= kMostRanks; ++ranks)
      for (const auto& [grid, split] : serial.column_splits(ranks)) {
        SCOPED_TRACE(job.name + ", " + to_string(split) + ", else on " + to_string(grid));
        compare(serial, grid, turn % 3 == 2 ? Algorithm::mpi : Algorithm::automatic,
                turn % 2 == 0 ? Gather::after_pooling : Gather::before_pooling, split);
        ++turn;
      }
  }
}

TEST(SimulatedTraining, EqualsSerialWithBatchNormalisation) {
  const SerialTraining serial(kWholeBatchCase);
  for (int ranks = 1; ranks <= kMostRanks; ++ranks)
    for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
      SCOPED_TRACE(std::to_string(ranks) + "x1 gathering " + std::string(name_of(gather)));
      compare(serial, {ranks, 1}, Algorithm::automatic, gather);
    }
}

}  // namespace
}  // namespace simtrain
