// Does training on a Pr x Pc grid compute what serial training computes? Every rank holds its own blocks against the
// double-precision reference, on every grid of the ranks at hand.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>

#include "kernels/blas_kernels.hpp"
#include "tests/support/small_networks.hpp"
#include "train/gather_ranks.hpp"
#include "train/reference.hpp"
#include "train/trainer.hpp"

namespace simtrain {
namespace {

// Of the largest value of the tensor: single against double precision over kIterations updates.
constexpr double kTolerance = 1e-4;
constexpr int kIterations = 20;
constexpr std::uint64_t kSeed = 7;

struct Case {
  std::string name, network;
  std::int64_t batch;
};
// The batch of the residual network must not be split: batch normalisation.
const Case kResnet{"small resnet", kSmallResnet, 8};
const std::vector<Case> kCases{
    {"even mlp", kEvenMlp, 12}, {"odd mlp", kOddMlp, 11}, {"small cnn", kSmallCnn, 9}, {"joins", kJoins, 10}};

std::vector<Grid> grids_of_world() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<Grid> grids;
  for (int rows = 1; rows <= size; ++rows)
    if (size % rows == 0) grids.push_back({rows, size / rows});
  return grids;
}

// Row `first` onwards of the reference's parameters, stored as the trainer stores a block: [weights | biases].
std::vector<double> block_of(const ReferenceTrainer::Parameters& all, std::int64_t columns, std::int64_t first,
                             std::int64_t rows) {
  std::vector<double> block(all.weights.begin() + first * columns, all.weights.begin() + (first + rows) * columns);
  const auto shifts = static_cast<std::int64_t>(all.normalisation.size() / 2);
  if (!all.biases.empty()) block.insert(block.end(), all.biases.begin() + first, all.biases.begin() + first + rows);
  if (shifts > 0)
    for (const std::int64_t part : {std::int64_t{0}, shifts})
      block.insert(block.end(), all.normalisation.begin() + part + first,
                   all.normalisation.begin() + part + first + rows);
  return block;
}

void expect_close(std::span<const float> found, const std::vector<double>& expected, double scale) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(static_cast<double>(found[i]), expected[i], kTolerance * scale) << "element " << i;
}

double largest(const ReferenceTrainer::Parameters& parameters) {
  double result = 0;
  for (const auto* values : {&parameters.weights, &parameters.biases, &parameters.normalisation})
    for (const double value : *values) result = std::max(result, std::fabs(value));
  return result;
}

class Comparison {
 public:
  Comparison(const Case& job, Grid grid, Algorithm algorithm, Gather gather)
      : network_(network_from_json(job.name, job.network)),
        plan_(make_plan(network_, {grid, job.batch, algorithm, gather, 0.05F, 0.9F, 0.001F, true, kSeed})),
        data_(network_, kSeed),
        reference_(
            network_,
            {job.batch, static_cast<double>(0.05F), static_cast<double>(0.9F), static_cast<double>(0.001F), true},
            kSeed) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    me_ = grid.coordinates(rank);
  }

  void run() {
    BlasKernels kernels([] { return MPI_Wtime(); });
    Collectives collectives(plan_.options.grid, me_, plan_.uses(Algorithm::mpi));
    compare_first_gradients(kernels, collectives);
    Trainer trainer(plan_, me_, kernels, collectives, data_, {.seed = kSeed, .schedule = {}});
    const auto result = gather_ranks(plan_, trainer.run(2, kIterations - 2));
    ReferenceTrainer reference = reference_;
    for (int i = 0; i < kIterations; ++i) {
      const double loss = reference.iterate(i, data_);
      if (!result) continue;
      ASSERT_EQ(result->losses.size(), static_cast<std::size_t>(kIterations));
      ASSERT_NEAR(result->losses[static_cast<std::size_t>(i)], loss, kTolerance * loss) << "iteration " << i;
    }
    compare(reference.parameters(), [&](int row) { return trainer.parameters(row); });
  }

 private:
  void compare_first_gradients(BlasKernels& kernels, Collectives& collectives) {
    Trainer trainer(plan_, me_, kernels, collectives, data_, {.seed = kSeed, .schedule = {}});
    trainer.run(0, 1);
    ReferenceTrainer reference = reference_;
    reference.iterate(0, data_);
    compare(reference.gradients(), [&](int row) { return trainer.gradients(row); });
  }

  template <typename Found>
  void compare(const std::vector<ReferenceTrainer::Parameters>& expected, const Found& found) {
    for (std::size_t row = 0; row < expected.size(); ++row) {
      const Layer& layer = plan_.network.layers[static_cast<std::size_t>(plan_.report_layers[row])];
      const Partition rows{layer.out.channels, plan_.options.grid.rows};
      SCOPED_TRACE(layer.name);
      expect_close(found(static_cast<int>(row)),
                   block_of(expected[row], layer.inputs_per_row(), rows.offset(me_.row), rows.length(me_.row)),
                   largest(expected[row]));
    }
  }

  Network network_;
  Plan plan_;
  SyntheticData data_;
  ReferenceTrainer reference_;
  Coordinates me_;
};

TEST(Training, EqualsSerialOnEveryGrid) {
  for (const Case& job : kCases)
    for (const Grid grid : grids_of_world())
      for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
        SCOPED_TRACE(job.name + " on " + to_string(grid) + " gathering " + std::string(name_of(gather)));
        Comparison(job, grid, Algorithm::automatic, gather).run();
      }
}

TEST(Training, EqualsSerialWithEveryCollective) {
  for (const Algorithm algorithm :
       {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::bruck, Algorithm::mpi})
    for (const Grid grid : grids_of_world()) {
      SCOPED_TRACE(std::string(name_of(algorithm)) + " on " + to_string(grid));
      Comparison(kCases[1], grid, algorithm, Gather::after_pooling).run();
    }
}

TEST(Training, EqualsSerialWithBatchNormalisation) {
  const Grid grid = grids_of_world().back();  // Px1
  for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
    SCOPED_TRACE(to_string(grid));
    Comparison(kResnet, grid, Algorithm::automatic, gather).run();
  }
}

// The loss must fall, or "equal to the reference" would hold for a trainer that does nothing.
TEST(Training, Learns) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const Network network = network_from_json("even mlp", kEvenMlp);
  const Grid grid = grids_of_world().back();
  const Plan plan =
      make_plan(network, {grid, 12, Algorithm::ring, Gather::after_pooling, 0.05F, 0.9F, 0, false, kSeed});
  const SyntheticData data(network, kSeed);
  BlasKernels kernels([] { return MPI_Wtime(); });
  Collectives collectives(grid, grid.coordinates(rank), false);
  Trainer trainer(plan, grid.coordinates(rank), kernels, collectives, data, {.seed = kSeed, .schedule = {}});
  const auto result = gather_ranks(plan, trainer.run(0, 100));
  if (result) {
    EXPECT_LT(result->losses.back(), 0.2 * result->losses.front());
  }
}

}  // namespace
}  // namespace simtrain
