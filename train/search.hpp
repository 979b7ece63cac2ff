// The best split of every layer with weights, by the alpha-beta model: which kind and grid each of them should have, of
// all that there are, redistribution between them included. --strategy auto.
//
// What an iteration takes is a sum of terms (train/step_costs.hpp prices the steps of a plan), each of which depends on
// how a few layers are split: a product on its own layer, a gather or a redistribution on the layer that puts a value
// out and on those that read it. So plans of the whole network in which neighbouring layers are split in all ways tell
// the terms of all layers at once (train/search_tables.hpp), the search needs no second description of what a plan
// does, and the least sum is found exactly (train/minimise.hpp). Greedy choices are not: a layer may be worth its price
// only with the next one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "train/minimise.hpp"
#include "train/plan.hpp"
#include "train/step_costs.hpp"

namespace simtrain {

// How a layer with weights may be split on so many processes: each kind has a line there, with its condition. Not by
// columns where a residual join takes what it puts out: whether that is whole would matter to layers further away; nor,
// where Y is gathered before pooling, behind a join.
std::vector<LayerStrategy> splits_of(const Network& network, std::size_t layer, int processes,
                                     const PlanOptions& options);

// A split for each layer with weights: its number among the layer's splits.
using Choice = std::vector<int>;

class StrategySearch {
 public:
  struct LayerChoices {
    std::string name;
    std::vector<LayerStrategy> splits;
  };

  // `options`: all but grid and strategy counts; overlap does not, since nothing is hidden in this model. `prices` must
  // outlive the object. Prices everything: AlexNet on 4096 processes takes a second. InputError when a layer's
  // name cannot stand in a rule.
  StrategySearch(const Network& network, const PlanOptions& options, int processes, PricedOperations& prices,
                 AlphaBeta speed);

  [[nodiscard]] const std::vector<LayerChoices>& layers() const { return layers_; }
  [[nodiscard]] double assignments() const;  // how many choices there are, those that do not go together included
  // Seconds of an iteration; infinity: not possible.
  [[nodiscard]] double seconds(const Choice& choice) const { return sum_of(factors_, sizes_, choice); }
  [[nodiscard]] Minimum best() const { return minimise(factors_, sizes_); }
  // The best with one layer on any other split than this. Infinity when it has no other.
  [[nodiscard]] Minimum best_without(int layer, int split) const;

  [[nodiscard]] Strategy strategy(const Choice& choice) const;  // a rule for each layer
  [[nodiscard]] Plan plan(const Choice& choice) const;          // without overlap
  // What a strategy decides, as a choice; nothing when it is not possible: too few samples, or other errors of it.
  [[nodiscard]] std::optional<Choice> choice_of(const Strategy& strategy, Grid grid) const;
  [[nodiscard]] StepCosts& costs() const { return *costs_; }

 private:
  void check_name(const std::string& name) const;
  void fill_tables();

  Network network_;
  PlanOptions options_;
  int processes_;
  std::unique_ptr<StepCosts> costs_;
  std::vector<LayerChoices> layers_;
  std::vector<int> sizes_;  // how many splits each has
  std::vector<CostFactor> factors_;
};

// Where the time of each layer with weights goes.
struct LayerSeconds {
  double compute_s = 0;
  ExchangeSeconds exchanges;
  [[nodiscard]] double total() const { return compute_s + exchanges.total(); }
};
std::vector<LayerSeconds> layer_seconds(const Plan& plan, StepCosts& costs);

}  // namespace simtrain
