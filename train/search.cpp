#include "train/search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/name_pattern.hpp"
#include "train/search_tables.hpp"

namespace simtrain {

namespace {

// Whether what a layer puts out comes to a join through layers without weights.
bool reaches_join(const Network& network, std::size_t from) {
  std::vector<char> reached(network.layers.size(), 0);
  reached[from] = 1;
  for (std::size_t i = from + 1; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const bool reads = std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](int input) {
      return input != kNetworkInput && reached[static_cast<std::size_t>(input)] != 0;
    });
    if (!reads || layer.weighted()) continue;
    if (layer.type == LayerType::add) return true;
    reached[i] = 1;
  }
  return false;
}

// Whether a layer's input comes from a join through layers without weights.
bool is_behind_join(const Network& network, std::size_t layer) {
  for (int input = network.layers[layer].inputs[0]; input != kNetworkInput;) {
    const Layer& producer = network.layers[static_cast<std::size_t>(input)];
    if (producer.type == LayerType::add) return true;
    if (producer.weighted()) return false;
    input = producer.inputs[0];
  }
  return false;
}

}  // namespace

std::vector<LayerStrategy> splits_of(const Network& network, std::size_t index, int processes,
                                     const PlanOptions& options) {
  const Layer& layer = network.layers[index];
  const std::int64_t batch = options.batch;
  const bool before = options.gather == Gather::before_pooling;
  std::vector<LayerStrategy> splits;
  const auto add = [&](LayerKind kind, const auto& possible) {
    for (const Grid grid : grids_of(processes))
      if (grid.columns <= batch && possible(grid)) splits.push_back({kind, grid});
  };
  add(LayerKind::integrated, [](Grid) { return true; });
  if (layer.type == LayerType::convolution)
    add(LayerKind::domain, [&](Grid grid) { return grid.rows > 1 && grid.rows <= layer.out.height; });
  if (layer.type == LayerType::linear && !layer.normalised && !reaches_join(network, index) &&
      !(before && is_behind_join(network, index)))
    add(LayerKind::columns, [](Grid grid) { return grid.rows > 1; });
  return splits;
}

StrategySearch::StrategySearch(const Network& network, const PlanOptions& options, int processes,
                               PricedOperations& prices, AlphaBeta speed)
    : network_(network), options_(options), processes_(processes), costs_(std::make_unique<StepCosts>(prices, speed)) {
  options_.grid = {1, processes};
  options_.overlap = {};
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    if (network.layers[i].weighted())
      layers_.push_back({network.layers[i].name, splits_of(network, i, processes, options)});
  for (const LayerChoices& layer : layers_) {
    sizes_.push_back(static_cast<int>(layer.splits.size()));
    check_name(layer.name);
  }
  fill_tables();
}

// Rules are written with names: they must be read again, and match nothing else.
void StrategySearch::check_name(const std::string& name) const {
  const StrategyRule rule{name, {1, 1}};
  const bool readable = name.find(';') == std::string::npos &&
                        parse_strategy("--strategy", name + ":1x1").rules == std::vector<StrategyRule>{rule};
  const auto matched = [&](const LayerChoices& other) { return other.name != name && matches(name, other.name); };
  if (readable && std::none_of(layers_.begin(), layers_.end(), matched)) return;
  throw InputError("--strategy: 'auto' cannot write a rule for layer '" + name + "' of network '" + network_.name +
                   "'; expected a name of letters, digits, '_' and '-'");
}

double StrategySearch::assignments() const {
  return std::accumulate(sizes_.begin(), sizes_.end(), 1.0, std::multiplies<>());
}

Minimum StrategySearch::best_without(int layer, int split) const {
  std::vector<std::vector<char>> barred(sizes_.size());
  std::vector<char>& of_layer = barred[static_cast<std::size_t>(layer)];
  of_layer.assign(layers_[static_cast<std::size_t>(layer)].splits.size(), 0);
  of_layer[static_cast<std::size_t>(split)] = 1;
  return minimise(factors_, sizes_, barred);
}

Strategy StrategySearch::strategy(const Choice& choice) const {
  Strategy strategy{.kind = Strategy::Kind::rules};
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const LayerStrategy& split = layers_[i].splits[static_cast<std::size_t>(choice[i])];
    strategy.rules.push_back({layers_[i].name, split.grid, split.kind});
  }
  return strategy;
}

Plan StrategySearch::plan(const Choice& choice) const {
  PlanOptions options = options_;
  options.strategy = strategy(choice);
  return make_plan(network_, options);
}

std::optional<Choice> StrategySearch::choice_of(const Strategy& strategy, Grid grid) const {
  std::vector<LayerStrategy> decided;
  try {
    decided = decide(strategy, network_, grid, options_.batch);
  } catch (const InputError&) {
    return std::nullopt;
  }
  Choice choice;
  for (std::size_t i = 0; i < decided.size(); ++i) {
    if (!network_.layers[i].weighted()) continue;
    const std::vector<LayerStrategy>& splits = layers_[choice.size()].splits;
    const auto found = std::find(splits.begin(), splits.end(), decided[i]);
    if (found == splits.end()) return std::nullopt;
    choice.push_back(static_cast<int>(found - splits.begin()));
  }
  if (!std::isfinite(seconds(choice))) return std::nullopt;
  return choice;
}

void StrategySearch::fill_tables() {
  const Plan first = plan(Choice(layers_.size(), 0));
  const SearchTables tables(first.network, sizes_);
  factors_ = tables.fill([&](const Choice& choice, std::vector<double>& by_owner) {
    std::optional<Plan> planned;
    try {
      planned = plan(choice);
    } catch (const InputError&) {  // these splits do not go together
      return false;
    }
    const std::vector<double> seconds = costs_->of(*planned);
    for (std::size_t i = 0; i < seconds.size(); ++i)
      by_owner[static_cast<std::size_t>(tables.owner(*planned, planned->steps[i]))] += seconds[i];
    return true;
  });
}

std::vector<LayerSeconds> layer_seconds(const Plan& plan, StepCosts& costs) {
  std::vector<LayerSeconds> layers(plan.report_layers.size());
  const std::vector<double> seconds = costs.of(plan);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const Step& step = plan.steps[i];
    const auto of_row = [&](int row) -> LayerSeconds& { return layers[static_cast<std::size_t>(row)]; };
    if (const auto* compute = std::get_if<ComputeStep>(&step))
      of_row(compute->row).compute_s += seconds[i];
    else if (const auto* collective = std::get_if<CollectiveStep>(&step))
      of_row(collective->row).exchanges[collective->exchange] += seconds[i];
    else if (const auto* moved = std::get_if<RedistributeStep>(&step))
      of_row(moved->row).exchanges[Exchange::redistribute] += seconds[i];
    else if (const auto* halo = std::get_if<HaloStep>(&step))
      of_row(halo->row).exchanges[Exchange::halo] += seconds[i];
  }
  return layers;
}

}  // namespace simtrain
