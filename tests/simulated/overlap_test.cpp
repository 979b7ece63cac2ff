// Do simulated ranks with real numbers compute what serial training computes, whatever runs behind what?
#include <gtest/gtest.h>
#include <mpi.h>

#include <numeric>

#include "kernels/blas_kernels.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/progress.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/simulated/in_child.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/overlap_cases.hpp"
#include "tests/support/training_comparison.hpp"
#include "train/summary.hpp"

namespace simtrain {
namespace {

constexpr int kMostRanks = 8;

void compare(const SerialTraining& serial, Grid grid, Algorithm algorithm, const OverlapOptions& overlap,
             const Strategy& strategy = {}) {
  in_child([&] {
    use_blas_threads(1);
    const Plan plan = serial.plan(grid, algorithm, Gather::after_pooling, strategy, overlap);
    std::vector<int> hosts(static_cast<std::size_t>(grid.size()));
    std::iota(hosts.begin(), hosts.end(), 0);
    AnalyticCost cost;
    cost.seconds_per_element = 1e-9;
    PricedOperations prices(cost, 1);
    ProgressLanes lanes(plan);
    Simulation simulation("torus:4x2",
                          {.ranks = grid.size(), .real_payloads = true, .progress_actors = lanes.needed()});
    Summary summary(plan);
    const auto train = [&](int rank) {
      const Coordinates me = grid.coordinates(rank);
      ModelledKernels kernels(prices, charge_compute, std::make_unique<BlasKernels>([] { return 0.0; }),
                              [&] { return simulation.clock_s(); });
      summary.add(serial.train_and_compare(plan, me, kernels, lanes.join(rank, kernels, 1)));
      lanes.leave(rank);
    };
    simulation.run(hosts, train, lanes.servers());
    const Result result = summary.finish();
    serial.compare_losses(result.losses);
    // The mean rank's time is what it computed and what it waited for. SimGrid's clock is precise to a nanosecond.
    constexpr double kPrecision_s = 1e-8;
    EXPECT_LE(result.compute_s() + result.exposed_s(), result.iteration_s + kPrecision_s);
    EXPECT_LE(result.exposed_s(), result.communication_s() + kPrecision_s);
  });
}

TEST(OverlappedSimulatedTraining, EqualsSerialOnEveryGrid) {
  const std::vector<OverlapOptions> overlaps = overlap_cases();
  std::size_t next = 0;
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    for (int ranks = 1; ranks <= kMostRanks; ++ranks)
      for (const Grid grid : grids_of(ranks))
        for (int i = 0; i < 5; ++i) {  // of 18: all of them meet all grids of a size, as the networks go by
          const OverlapOptions& overlap = overlaps[next++ % overlaps.size()];
          SCOPED_TRACE(job.name + " on " + to_string(grid) + ", " + describe(overlap));
          compare(serial, grid, Algorithm::automatic, overlap);
        }
  }
}

TEST(OverlappedSimulatedTraining, EqualsSerialWithEveryCollective) {
  const SerialTraining serial(kSplitCases[1]);
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck})
    for (const Grid grid : {Grid{3, 2}, Grid{2, 4}, Grid{1, 7}, Grid{5, 1}})
      for (const Progress progress : {Progress::ideal, Progress::polling, Progress::none}) {
        const OverlapOptions overlap{Overlap::all, progress, 300};
        SCOPED_TRACE(std::string(name_of(algorithm)) + " on " + to_string(grid) + ", " + describe(overlap));
        compare(serial, grid, algorithm, overlap);
      }
}

TEST(OverlappedSimulatedTraining, EqualsSerialOnSeveralGridsAtOnce) {
  const std::vector<OverlapOptions> overlaps = overlap_cases();
  std::size_t next = 0;
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    for (const int ranks : {4, 6}) {
      const std::vector<Grid> grids = grids_of(ranks);
      for (const Strategy& mix : serial.mixes(ranks)) {
        const OverlapOptions& overlap = overlaps[next++ % overlaps.size()];
        SCOPED_TRACE(job.name + ", " + to_string(mix) + ", " + describe(overlap));
        compare(serial, grids[next % grids.size()], Algorithm::automatic, overlap, mix);
      }
    }
  }
}

TEST(OverlappedSimulatedTraining, EqualsSerialWithImagesInStrips) {
  const std::vector<OverlapOptions> overlaps = overlap_cases();
  std::size_t next = 0;
  for (const TrainingCase& job : {kSplitCases[1], kTallCase}) {
    const SerialTraining serial(job);
    for (const int ranks : {4, 6}) {
      const std::vector<Grid> grids = serial.grids(ranks);
      for (const Strategy& cut : serial.cuts(ranks)) {
        const OverlapOptions& overlap = overlaps[5 * next++ % overlaps.size()];
        SCOPED_TRACE(job.name + ", " + to_string(cut) + ", " + describe(overlap));
        compare(serial, grids[next % grids.size()], Algorithm::automatic, overlap, cut);
      }
    }
  }
}

TEST(OverlappedSimulatedTraining, EqualsSerialWithBatchNormalisation) {
  const SerialTraining serial(kWholeBatchCase);
  for (const OverlapOptions& overlap : overlap_cases()) {
    SCOPED_TRACE(describe(overlap));
    compare(serial, {4, 1}, Algorithm::automatic, overlap);
  }
}

}  // namespace
}  // namespace simtrain
