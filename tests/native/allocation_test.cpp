// Does an iteration allocate? Once the first ones have set everything up, none of our code may: this program's operator
// new counts. What MPI and the BLAS allocate inside themselves they take from malloc, which is not counted.
#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "kernels/blas_kernels.hpp"
#include "kernels/worker_kernels.hpp"
#include "tests/support/overlap_cases.hpp"
#include "tests/support/small_networks.hpp"
#include "train/phase_log.hpp"
#include "train/rank_clock.hpp"
#include "train/trainer.hpp"

namespace {

std::atomic<long> allocations = 0;  // of all threads

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(bytes == 0 ? 1 : bytes)
                     : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted(bytes, 1); }
void* operator new[](std::size_t bytes) { return counted(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace simtrain {
namespace {

constexpr int kWarmUp = 1, kIterations = 11, kFirstCounted = 3;  // from the ninth on a second epoch
constexpr std::uint64_t kSeed = 7;

// Allocations of this rank from the end of iteration kFirstCounted - 1 to that of the last.
long allocations_of_iterations(const Network& network, Grid grid, Algorithm algorithm, bool shuffled,
                               const Strategy& strategy = {}, const OverlapOptions& overlap = {}) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Coordinates me = grid.coordinates(rank);
  const Plan plan = make_plan(network, {grid, 8, algorithm, Gather::after_pooling, 0.05F, 0.9F, 0.001F,
                                        /*dropout=*/true, kSeed, strategy, overlap});
  const SyntheticData data(network, kSeed);
  const bool on_worker = overlap.any() && overlap.progress == Progress::ideal;
  std::unique_ptr<Kernels> kernels;
  if (on_worker)
    kernels = std::make_unique<WorkerKernels>(RankClock());
  else
    kernels = std::make_unique<BlasKernels>([] { return MPI_Wtime(); });
  Collectives collectives(plan.grids(), rank, plan.uses(Algorithm::mpi));
  PhaseLog phases(plan, kIterations);
  TrainerOptions options{.seed = kSeed, .shuffled = shuffled, .schedule = {}, .phases = &phases};
  options.schedule.kind = LearningRateSchedule::Kind::cosine;
  options.total_iterations = kWarmUp + kIterations;
  Trainer trainer(plan, me, *kernels, collectives, data, options);
  long before = 0, after = 0;
  trainer.run(kWarmUp, kIterations, [&](int done) {
    if (done == kFirstCounted - 1) before = allocations;
    after = allocations;
  });
  return after - before;
}

std::vector<Grid> grids_of_world() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<Grid> grids;
  for (int rows = 1; rows <= size; ++rows)
    if (size % rows == 0) grids.push_back({rows, size / rows});
  return grids;
}

void expect_none(const std::string& name, const std::string& text, const std::vector<Grid>& grids) {
  const Network network = network_from_json(name, text);
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck})
    for (const Grid grid : grids)
      for (const bool shuffled : {false, true})
        EXPECT_EQ(allocations_of_iterations(network, grid, algorithm, shuffled), 0)
            << name << ", " << name_of(algorithm) << ", " << to_string(grid) << (shuffled ? ", shuffled" : "");
}

// Convolutions on 1 x P, and layers in turn on 1 x P and P x 1.
TEST(Allocation, NoneWithinIterationsOnSeveralGrids) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  const int ranks = static_cast<int>(grids_of_world().front().size());
  const Strategy in_turn{
      .kind = Strategy::Kind::rules,
      .rules = {{"conv1", {ranks, 1}}, {"conv2", {1, ranks}}, {"fc3", {ranks, 1}}, {"fc4", {1, ranks}}}};
  for (const Grid grid : grids_of_world())
    for (const Strategy& strategy : {Strategy{.kind = Strategy::Kind::conv_batch}, in_turn})
      EXPECT_EQ(allocations_of_iterations(network, grid, Algorithm::ring, true, strategy), 0)
          << to_string(strategy) << " on " << to_string(grid);
}

// Convolutions in strips, as many as there are ranks: the halo's requests and messages.
TEST(Allocation, NoneWithinIterationsWithImagesInStrips) {
  const Network network = network_from_json("tall", kTall);
  const int ranks = static_cast<int>(grids_of_world().front().size());
  const Strategy strips{.kind = Strategy::Kind::rules, .rules = {{"?", {ranks, 1}, LayerKind::domain}}};
  for (const Grid grid : grids_of_world())
    EXPECT_EQ(allocations_of_iterations(network, grid, Algorithm::ring, true, strips), 0) << to_string(grid);
}

TEST(Allocation, NoneWithinIterationsWithLayersSplitByColumns) {
  const Network network = network_from_json("pairs", kPairs);
  for (const Grid grid : grids_of_world())
    EXPECT_EQ(allocations_of_iterations(network, grid, Algorithm::ring, true, {.kind = Strategy::Kind::pair}), 0)
        << to_string(grid);
}

TEST(Allocation, NoneWithinIterationsThatOverlap) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  for (const OverlapOptions& overlap : overlap_cases())
    for (const Grid grid : grids_of_world())
      EXPECT_EQ(allocations_of_iterations(network, grid, Algorithm::ring, true, {}, overlap), 0)
          << describe(overlap) << " on " << to_string(grid);
}

TEST(Allocation, IsCounted) {
  const long before = allocations;
  std::vector<double>* one = new std::vector<double>(100);
  EXPECT_EQ(allocations - before, 2);
  delete one;
}

TEST(Allocation, NoneWithinIterationsOfAConvolutionalNetwork) { expect_none("small cnn", kSmallCnn, grids_of_world()); }

TEST(Allocation, NoneWithinIterationsOfNetworksWithJoins) {
  expect_none("joins", kJoins, grids_of_world());
  expect_none("small resnet", kSmallResnet, {grids_of_world().back()});  // batch normalisation: Pc = 1
}

}  // namespace
}  // namespace simtrain
