// Does training on a Pr x Pc grid compute what serial training computes? On every grid of the ranks at hand.
#include <gtest/gtest.h>
#include <mpi.h>

#include "kernels/blas_kernels.hpp"
#include "tests/support/training_comparison.hpp"
#include "train/gather_ranks.hpp"

namespace simtrain {
namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::vector<Grid> grids_of_world() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return grids_of(size);
}

void compare(const SerialTraining& serial, Grid grid, Algorithm algorithm, Gather gather,
             const Strategy& strategy = {}) {
  const Plan plan = serial.plan(grid, algorithm, gather, strategy);
  BlasKernels kernels([] { return MPI_Wtime(); });
  const auto result = gather_ranks(plan, serial.train_and_compare(plan, grid.coordinates(rank_of_world()), kernels));
  if (result) serial.compare_losses(result->losses);
}

TEST(Training, EqualsSerialOnEveryGrid) {
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    for (const Grid grid : grids_of_world())
      for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
        SCOPED_TRACE(job.name + " on " + to_string(grid) + " gathering " + std::string(name_of(gather)));
        compare(serial, grid, Algorithm::automatic, gather);
      }
  }
}

TEST(Training, EqualsSerialWithEveryCollective) {
  const SerialTraining serial(kSplitCases[1]);
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck, Algorithm::mpi})
    for (const Grid grid : grids_of_world()) {
      SCOPED_TRACE(std::string(name_of(algorithm)) + " on " + to_string(grid));
      compare(serial, grid, algorithm, Gather::after_pooling);
    }
}

TEST(Training, EqualsSerialOnSeveralGridsAtOnce) {
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    const std::vector<Grid> grids = grids_of_world();
    const std::vector<Strategy> mixes = serial.mixes(static_cast<int>(grids.front().size()));
    for (std::size_t i = 0; i < mixes.size(); ++i) {
      const Grid grid = grids[i % grids.size()];
      SCOPED_TRACE(job.name + ", " + to_string(mixes[i]) + ", else on " + to_string(grid));
      compare(serial, grid, i % 3 == 2 ? Algorithm::mpi : Algorithm::automatic,
              i % 2 == 0 ? Gather::after_pooling : Gather::before_pooling, mixes[i]);
    }
  }
}

TEST(Training, EqualsSerialWithImagesInStrips) {
  std::vector<TrainingCase> jobs = kSplitCases;
  jobs.push_back(kTallCase);
  for (const TrainingCase& job : jobs) {
    const SerialTraining serial(job);
    const int ranks = static_cast<int>(grids_of_world().front().size());
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

TEST(Training, EqualsSerialWithLayersSplitByColumns) {
  std::vector<TrainingCase> jobs = kSplitCases;
  jobs.insert(jobs.end(), {kTallCase, kPairsCase});
  std::size_t turn = 0;
  for (const TrainingCase& job : jobs) {
    const SerialTraining serial(job);
    for (const auto& [grid, split] : serial.column_splits(static_cast<int>(grids_of_world().front().size()))) {
      SCOPED_TRACE(job.name + ", " + to_string(split) + ", else on " + to_string(grid));
      compare(serial, grid, turn % 3 == 2 ? Algorithm::mpi : Algorithm::automatic,
              turn % 2 == 0 ? Gather::after_pooling : Gather::before_pooling, split);
      ++turn;
    }
  }
}

TEST(Training, EqualsSerialWithBatchNormalisation) {
  const SerialTraining serial(kWholeBatchCase);
  const Grid grid = grids_of_world().back();  // Px1
  for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
    SCOPED_TRACE(to_string(grid));
    compare(serial, grid, Algorithm::automatic, gather);
  }
}

// The loss must fall, or "equal to the reference" would hold for a trainer that does nothing.
TEST(Training, Learns) {
  constexpr std::uint64_t kSeed = 7;
  const Network network = network_from_json("even mlp", kEvenMlp);
  const Grid grid = grids_of_world().back();
  const Coordinates me = grid.coordinates(rank_of_world());
  const Plan plan =
      make_plan(network, {grid, 12, Algorithm::ring, Gather::after_pooling, 0.05F, 0.9F, 0, false, kSeed});
  const SyntheticData data(network, kSeed);
  BlasKernels kernels([] { return MPI_Wtime(); });
  Collectives collectives(grid, me, false);
  Trainer trainer(plan, me, kernels, collectives, data, {.seed = kSeed, .schedule = {}});
  const auto result = gather_ranks(plan, trainer.run(0, 100));
  if (result) {
    EXPECT_LT(result->losses.back(), 0.2 * result->losses.front());
  }
}

}  // namespace
}  // namespace simtrain
