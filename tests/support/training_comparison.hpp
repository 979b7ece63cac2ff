// Training on a Pr x Pc grid against serial training: every rank holds its own blocks against the double-precision
// reference. Native and simulated ranks run the same comparison; the library `train` that they link is not the same.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "kernels/kernels.hpp"
#include "tests/support/small_networks.hpp"
#include "train/reference.hpp"
#include "train/trainer.hpp"

namespace simtrain {

// Of the largest value of the tensor: single against double precision over kComparedIterations updates.
inline constexpr double kTrainingTolerance = 1e-4;
inline constexpr int kComparedIterations = 20;

struct TrainingCase {
  std::string name, network;
  std::int64_t batch;
  std::uint64_t seed;  // one for which no ReLU has an input of almost 0: see SerialTraining
};
inline const std::vector<TrainingCase> kSplitCases{{"even mlp", kEvenMlp, 12, 7},
                                                   {"odd mlp", kOddMlp, 11, 7},
                                                   {"small cnn", kSmallCnn, 9, 7},
                                                   {"joins", kJoins, 10, 7}};
// Images whose strips are of several heights, or empty, and halos of one line or many; fewer samples than ranks.
inline const TrainingCase kTallCase{"tall", kTall, 5, 7};
// Linear layers with joins.
inline const TrainingCase kPairsCase{"pairs", kPairs, 9, 7};
// Its batch must not be split: batch normalisation.
inline const TrainingCase kWholeBatchCase{"small resnet", kSmallResnet, 8, 9};

// The job, and what serial training in double precision comes to.
//
// Gradients jump where a ReLU's input crosses 0 or two inputs of a maximum are equal. A job that comes within rounding
// of such a point has two right answers, as far apart as 5e-3 of the largest weight, and which one single precision
// finds depends on the processor. `perturbation` tells such jobs: it scales each initial weight by a factor of its own,
// within 1 +- perturbation.
class SerialTraining {
  using Parameters = ReferenceTrainer::Parameters;

 public:
  explicit SerialTraining(const TrainingCase& job, double perturbation = 0, std::uint64_t perturbation_seed = 0)
      : network_(network_from_json(job.name, job.network)), batch_(job.batch), seed_(job.seed), data_(network_, seed_) {
    ReferenceTrainer reference(network_, {batch_, double{kLearningRate}, double{kMomentum}, double{kWeightDecay}, true},
                               seed_);
    std::uint64_t drawn = 0;
    for (Parameters& layer : reference.mutable_parameters())
      for (double& weight : layer.weights)
        weight *= 1 + perturbation * static_cast<double>(random_symmetric(perturbation_seed, 0, drawn++));
    for (int i = 0; i < kComparedIterations; ++i) {
      losses_.push_back(reference.iterate(i, data_));
      if (i == 0) first_gradients_ = reference.gradients();
    }
    parameters_ = reference.parameters();
  }

  // Largest difference of the final weights, of the largest weight of their layer.
  [[nodiscard]] double distance(const SerialTraining& other) const {
    double result = 0;
    for (std::size_t row = 0; row < parameters_.size(); ++row)
      for (std::size_t i = 0; i < parameters_[row].weights.size(); ++i)
        result = std::max(result, std::fabs(parameters_[row].weights[i] - other.parameters_[row].weights[i]) /
                                      largest(parameters_[row]));
    return result;
  }

  [[nodiscard]] Plan plan(Grid grid, Algorithm algorithm, Gather gather, const Strategy& strategy = {},
                          const OverlapOptions& overlap = {}) const {
    return make_plan(network_, {grid, batch_, algorithm, gather, kLearningRate, kMomentum, kWeightDecay, true, seed_,
                                strategy, overlap});
  }

  // Strategies of several grids: conv-batch, and one for each grid of so many ranks to start from, in which each layer
  // with weights is on another grid than the one before, as far as there are several.
  [[nodiscard]] std::vector<Strategy> mixes(int ranks) const {
    const std::vector<Grid> grids = grids_of(ranks);
    std::vector<Strategy> strategies{{.kind = Strategy::Kind::conv_batch}};
    for (std::size_t start = 0; start < grids.size(); ++start) {
      Strategy mix{.kind = Strategy::Kind::rules};
      std::size_t next = start;
      for (const Layer& layer : network_.layers)
        if (layer.weighted()) mix.rules.push_back({layer.name, grids[next++ % grids.size()]});
      strategies.push_back(mix);
    }
    return strategies;
  }

  // Strategies with convolutions in strips: for each grid that the batch can be split over, all convolutions that have
  // rows enough, and every second one with the others on the grid the other way round; `domain` where it can be had.
  [[nodiscard]] std::vector<Strategy> cuts(int ranks) const {
    std::vector<Strategy> strategies;
    for (const Grid grid : grids_of(ranks)) {
      if (grid.rows == 1 || grid.columns > batch_) continue;
      Strategy all{.kind = Strategy::Kind::rules}, turns{.kind = Strategy::Kind::rules};
      const Grid turned = grid.rows <= batch_ ? Grid{grid.columns, grid.rows} : grid;
      int number = 0;
      for (const Layer& layer : network_.layers) {
        if (layer.type != LayerType::convolution || layer.out.height < grid.rows) continue;
        all.rules.push_back({layer.name, grid, LayerKind::domain});
        const bool cut = number++ % 2 == 0;
        turns.rules.push_back({layer.name, cut ? grid : turned, cut ? LayerKind::domain : LayerKind::integrated});
      }
      if (all.rules.empty()) continue;
      strategies.push_back(all);
      strategies.push_back(turns);
    }
    const Grid cut = domain_grid(ranks, batch_);
    const bool fits = std::all_of(network_.layers.begin(), network_.layers.end(), [&](const Layer& layer) {
      return layer.type != LayerType::convolution || layer.out.height >= cut.rows;
    });
    if (fits) strategies.push_back({.kind = Strategy::Kind::domain});
    return strategies;
  }
  // Strategies with linear layers split by columns, each with the grid of those that it does not name: `pair`; every
  // second linear layer, from the first or the second on, with convolutions in strips where they have rows enough; all
  // of them in turn on the grid and on it the other way round. Of the network of kPairsCase, whose joins bring together
  // what is split in different ways, those of a list.
  [[nodiscard]] std::vector<std::pair<Grid, Strategy>> column_splits(int ranks) const {
    std::vector<std::pair<Grid, Strategy>> splits;
    for (const Grid grid : grids(ranks)) {
      if (grid.rows == 1 && ranks > 1) continue;
      const Grid turned = grid.rows <= batch_ ? Grid{grid.columns, grid.rows} : grid;
      if (ranks <= batch_) splits.push_back({grid, {.kind = Strategy::Kind::pair}});
      if (network_.name == "pairs") {
        for (const char* text : {"b:columns:G", "h:columns:G; e:columns:G", "b:columns:G; e:columns:T; *:G",
                                 "a:columns:G; d:columns:G", "b:columns:T; h:columns:G; c:T; *:G"})
          splits.emplace_back(grid, rules_of(text, grid, turned));
        if (turned != grid)
          splits.emplace_back(grid, rules_of("a:columns:T; h:T; b:columns:G; e:columns:T; *:G", grid, turned));
        continue;
      }
      for (const int start : {0, 1}) splits.emplace_back(turned, every_second(grid, start));
      if (turned != grid) splits.emplace_back(grid, in_turn(grid, turned));
    }
    return splits;
  }
  // Those that the batch can be split over.
  [[nodiscard]] std::vector<Grid> grids(int ranks) const {
    std::vector<Grid> grids = grids_of(ranks);
    std::erase_if(grids, [&](Grid grid) { return grid.columns > batch_; });
    return grids;
  }

  // Trains for kComparedIterations, of which 2 are warm-up, and compares this rank's first gradients and final
  // parameters. Every rank of the plan's grid must call it. Returns what the rank found, its share of the losses too.
  // `background`: as in TrainerOptions.
  RankResult train_and_compare(const Plan& plan, Coordinates me, Kernels& kernels,
                               Background* background = nullptr) const {
    Collectives collectives(plan.grids(), plan.options.grid.rank(me), plan.uses(Algorithm::mpi));
    TrainerOptions options;
    options.seed = seed_;
    options.background = background;
    Trainer first(plan, me, kernels, collectives, data_, options);
    first.run(0, 1);
    compare(plan, me, first_gradients_, [&](int row) { return first.gradients(row); });
    Trainer trainer(plan, me, kernels, collectives, data_, options);
    RankResult result = trainer.run(2, kComparedIterations - 2);
    compare(plan, me, parameters_, [&](int row) { return trainer.parameters(row); });
    return result;
  }

  void compare_losses(const std::vector<double>& found) const {
    ASSERT_EQ(found.size(), losses_.size());
    for (std::size_t i = 0; i < losses_.size(); ++i)
      ASSERT_NEAR(found[i], losses_[i], kTrainingTolerance * losses_[i]) << "iteration " << i;
  }

 private:
  // Of text with G and T for grids.
  static Strategy rules_of(const std::string& text, Grid g, Grid t) {
    std::string rules;
    for (const char letter : text)
      rules += letter == 'G' ? to_string(g) : letter == 'T' ? to_string(t) : std::string(1, letter);
    return parse_strategy("--strategy", rules);
  }

  // All layers on the grid: linear ones number start, start + 2, ... split by columns, convolutions in strips.
  [[nodiscard]] Strategy every_second(Grid grid, int start) const {
    Strategy strategy{.kind = Strategy::Kind::rules};
    int number = start;
    for (const Layer& layer : network_.layers) {
      if (!layer.weighted()) continue;
      const bool linear = layer.type == LayerType::linear, cut = !linear && layer.out.height >= grid.rows;
      const bool by_columns = linear && number++ % 2 == 0;
      strategy.rules.push_back({layer.name, grid,
                                by_columns ? LayerKind::columns
                                : cut      ? LayerKind::domain
                                           : LayerKind::integrated});
    }
    return strategy;
  }

  [[nodiscard]] Strategy in_turn(Grid grid, Grid turned) const {
    Strategy strategy{.kind = Strategy::Kind::rules};
    int number = 0;
    for (const Layer& layer : network_.layers)
      if (layer.type == LayerType::linear)
        strategy.rules.push_back({layer.name, number++ % 2 == 0 ? turned : grid, LayerKind::columns});
    return strategy;
  }

  static constexpr float kLearningRate = 0.05F, kMomentum = 0.9F, kWeightDecay = 0.001F;

  // Row `first` onwards of the reference's parameters, stored as the trainer stores a block: [weights | biases |
  // scales | shifts]. `split`, of a layer split by columns: these columns of all rows of W.
  static std::vector<double> block_of(const Parameters& all, std::int64_t columns, std::int64_t first,
                                      std::int64_t rows, const Range* split) {
    std::vector<double> block(all.weights.begin() + first * columns, all.weights.begin() + (first + rows) * columns);
    if (split != nullptr) {
      block.clear();
      for (auto row = all.weights.begin(); row != all.weights.end(); row += columns)
        block.insert(block.end(), row + split->offset, row + split->offset + split->count);
    }
    const auto shifts = static_cast<std::int64_t>(all.normalisation.size() / 2);
    if (!all.biases.empty()) block.insert(block.end(), all.biases.begin() + first, all.biases.begin() + first + rows);
    if (shifts > 0)
      for (const std::int64_t part : {std::int64_t{0}, shifts})
        block.insert(block.end(), all.normalisation.begin() + part + first,
                     all.normalisation.begin() + part + first + rows);
    return block;
  }

  static double largest(const Parameters& parameters) {
    double result = 0;
    for (const auto* values : {&parameters.weights, &parameters.biases, &parameters.normalisation})
      for (const double value : *values) result = std::max(result, std::fabs(value));
    return result;
  }

  static void expect_close(std::span<const float> found, const std::vector<double>& expected, double scale) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), expected[i], kTrainingTolerance * scale) << "element " << i;
  }

  template <typename Found>
  static void compare(const Plan& plan, Coordinates me, const std::vector<Parameters>& expected, const Found& found) {
    ASSERT_EQ(expected.size(), plan.report_layers.size());
    for (std::size_t row = 0; row < expected.size(); ++row) {
      const auto index = static_cast<std::size_t>(plan.report_layers[row]);
      const Layer& layer = plan.network.layers[index];
      const Grid grid = plan.weights_grid(plan.report_layers[row]);
      const Partition rows{layer.out.channels, grid.rows};
      const int grid_row = plan.on(grid, me).row;
      const Partition& by_columns = plan.tensors[static_cast<std::size_t>(plan.weights[row])].columns;
      const Range part{by_columns.offset(grid_row), by_columns.length(grid_row)};
      SCOPED_TRACE(layer.name);  // no message is sent within it, or simulated ranks would mix their traces
      expect_close(found(static_cast<int>(row)),
                   block_of(expected[row], layer.inputs_per_row(), rows.offset(grid_row), rows.length(grid_row),
                            plan.by_columns(plan.report_layers[row]) ? &part : nullptr),
                   largest(expected[row]));
    }
  }

  Network network_;
  std::int64_t batch_;
  std::uint64_t seed_;
  SyntheticData data_;
  std::vector<double> losses_;
  std::vector<Parameters> first_gradients_, parameters_;
};

}  // namespace simtrain
