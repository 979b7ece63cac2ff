// Does training with communication behind computing compute what serial training computes? On every grid of the ranks
// at hand, with every kind of overlap and of progress: computing on a thread of its own, and on the rank's.
#include <gtest/gtest.h>
#include <mpi.h>

#include "kernels/blas_kernels.hpp"
#include "kernels/worker_kernels.hpp"
#include "tests/support/overlap_cases.hpp"
#include "tests/support/training_comparison.hpp"
#include "train/gather_ranks.hpp"
#include "train/rank_clock.hpp"

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

std::unique_ptr<Kernels> kernels_for(const OverlapOptions& overlap) {
  if (overlap.progress == Progress::ideal) return std::make_unique<WorkerKernels>(RankClock());
  return std::make_unique<BlasKernels>([] { return MPI_Wtime(); });
}

void compare(const SerialTraining& serial, Grid grid, Algorithm algorithm, const OverlapOptions& overlap,
             const Strategy& strategy = {}) {
  const Plan plan = serial.plan(grid, algorithm, Gather::after_pooling, strategy, overlap);
  const std::unique_ptr<Kernels> kernels = kernels_for(overlap);
  const auto result = gather_ranks(plan, serial.train_and_compare(plan, grid.coordinates(rank_of_world()), *kernels));
  if (!result) return;
  serial.compare_losses(result->losses);
  if (grid.size() > 1) {
    EXPECT_GT(result->bytes_sent(), 0);
  }
  EXPECT_GE(result->exposed_s(), 0);
  EXPECT_LE(result->exposed_s(), result->communication_s() * (1 + 1e-9));
}

TEST(OverlappedTraining, EqualsSerialOnEveryGrid) {
  std::size_t turn = 0;
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    for (const Grid grid : grids_of_world())
      for (const OverlapOptions& overlap : overlap_cases()) {
        // Every third of them where ranks, which poll, are more than most machines have cores.
        if (++turn % 3 != 0 && grid.size() > 4) continue;
        SCOPED_TRACE(job.name + " on " + to_string(grid) + ", " + describe(overlap));
        compare(serial, grid, Algorithm::automatic, overlap);
      }
  }
}

// Of the library's collectives too, which are non-blocking all-reduces then.
TEST(OverlappedTraining, EqualsSerialWithEveryCollective) {
  const SerialTraining serial(kSplitCases[1]);
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck, Algorithm::mpi})
    for (const Grid grid : grids_of_world())
      for (const Progress progress : {Progress::ideal, Progress::polling, Progress::none}) {
        const OverlapOptions overlap{Overlap::all, progress, 300};
        SCOPED_TRACE(std::string(name_of(algorithm)) + " on " + to_string(grid) + ", " + describe(overlap));
        compare(serial, grid, algorithm, overlap);
      }
}

TEST(OverlappedTraining, EqualsSerialOnSeveralGridsAtOnce) {
  for (const TrainingCase& job : kSplitCases) {
    const SerialTraining serial(job);
    const std::vector<Grid> grids = grids_of_world();
    const std::vector<Strategy> mixes = serial.mixes(static_cast<int>(grids.front().size()));
    const std::vector<OverlapOptions> overlaps = overlap_cases();
    for (std::size_t i = 0; i < mixes.size(); ++i) {
      const Grid grid = grids[i % grids.size()];
      const OverlapOptions& overlap = overlaps[i % overlaps.size()];
      SCOPED_TRACE(job.name + ", " + to_string(mixes[i]) + ", else on " + to_string(grid) + ", " + describe(overlap));
      compare(serial, grid, i % 3 == 2 ? Algorithm::mpi : Algorithm::automatic, overlap, mixes[i]);
    }
  }
}

// Halo exchanges between collectives that run in the background.
TEST(OverlappedTraining, EqualsSerialWithImagesInStrips) {
  std::size_t turn = 0;
  for (const TrainingCase& job : {kSplitCases[1], kTallCase}) {
    const SerialTraining serial(job);
    const int ranks = static_cast<int>(grids_of_world().front().size());
    const std::vector<Grid> grids = serial.grids(ranks);
    const std::vector<OverlapOptions> overlaps = overlap_cases();
    for (const Strategy& cut : serial.cuts(ranks)) {
      const Grid grid = grids[turn % grids.size()];
      const OverlapOptions& overlap = overlaps[5 * ++turn % overlaps.size()];
      SCOPED_TRACE(job.name + ", " + to_string(cut) + ", else on " + to_string(grid) + ", " + describe(overlap));
      compare(serial, grid, Algorithm::automatic, overlap, cut);
    }
  }
}

TEST(OverlappedTraining, EqualsSerialWithLayersSplitByColumns) {
  std::size_t turn = 0;
  for (const TrainingCase& job : {kSplitCases[1], kPairsCase}) {
    const SerialTraining serial(job);
    const std::vector<OverlapOptions> overlaps = overlap_cases();
    for (const auto& [grid, split] : serial.column_splits(static_cast<int>(grids_of_world().front().size()))) {
      const OverlapOptions& overlap = overlaps[5 * ++turn % overlaps.size()];
      SCOPED_TRACE(job.name + ", " + to_string(split) + ", else on " + to_string(grid) + ", " + describe(overlap));
      compare(serial, grid, Algorithm::automatic, overlap, split);
    }
  }
}

TEST(OverlappedTraining, EqualsSerialWithBatchNormalisation) {
  const SerialTraining serial(kWholeBatchCase);
  const Grid grid = grids_of_world().back();  // Px1
  for (const OverlapOptions& overlap : overlap_cases()) {
    SCOPED_TRACE(to_string(grid) + ", " + describe(overlap));
    compare(serial, grid, Algorithm::automatic, overlap);
  }
}

}  // namespace
}  // namespace simtrain
