#include "train/cost_table.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kernels/modelled.hpp"
#include "train/columns.hpp"
#include "train/cost.hpp"

namespace simtrain {

namespace {

class FreeKernels final : public CostModel {
 public:
  [[nodiscard]] Estimate estimate(const Call& /*call*/) const override { return {}; }
};

// By layer with weights: whether its input is on another grid.
std::vector<char> moved_inputs(const Network& network, const std::vector<LayerStrategy>& strategies) {
  std::vector<char> moved;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (!layer.weighted()) continue;
    int producer = layer.inputs[0];
    // A flatten of images in strips is where it is read.
    while (producer != kNetworkInput && network.layers[static_cast<std::size_t>(producer)].type == LayerType::flatten)
      producer = network.layers[static_cast<std::size_t>(producer)].inputs[0];
    moved.push_back(
        producer == kNetworkInput || lie_alike(strategies[static_cast<std::size_t>(producer)], strategies[i]) ? 0 : 1);
  }
  return moved;
}

void add(const ExchangeSeconds& term, ExchangeSeconds& sum) {
  for (std::size_t i = 0; i < term.by_exchange.size(); ++i) sum.by_exchange[i] += term.by_exchange[i];
}

ExchangeSeconds sum_of(const std::vector<ExchangeSeconds>& terms) {
  ExchangeSeconds sum;
  for (const ExchangeSeconds& term : terms) add(term, sum);
  return sum;
}

// Of the layers' inputs that are on another grid: what the layer before puts out.
double sum_of_6(const std::vector<FormulaLayer>& layers, const std::vector<char>& moved, double batch,
                std::int64_t processes, AlphaBeta network) {
  double sum = 0;
  for (std::size_t i = 1; i < layers.size(); ++i)
    if (moved[i] != 0) sum += formula_6_redistribution(layers[i - 1], batch, processes, network);
  return sum;
}

struct Kinds {
  std::vector<FormulaLayer> convolutions, others;
  double lowest_image = 0;  // rows of the lowest output of a convolution
};

Kinds kinds_of(const Network& network, const std::vector<FormulaLayer>& layers) {
  Kinds kinds;
  for (const FormulaLayer& layer : layers) (layer.convolution ? kinds.convolutions : kinds.others).push_back(layer);
  for (const Layer& layer : network.layers)
    if (const auto height = static_cast<double>(layer.out.height); layer.type == LayerType::convolution)
      kinds.lowest_image = kinds.lowest_image == 0 ? height : std::min(kinds.lowest_image, height);
  return kinds;
}

// The messages of a plan on the clocks of its ranks, with nothing computed between them.
AlphaBetaCost schedule_cost(Plan plan, AlphaBeta network) {
  std::erase_if(plan.steps, [](const Step& step) { return std::holds_alternative<ComputeStep>(step); });
  const FreeKernels free_kernels;
  PricedOperations prices(free_kernels, 1);
  return alpha_beta_cost(plan, prices, network);
}

void price_schedule(Plan plan, AlphaBeta network, PricedOperations* prices, GridCost& cost) {
  if (prices != nullptr) {
    cost.computing = compute_cost(plan, *prices);
    cost.iteration_s = alpha_beta_cost(plan, *prices, network).iteration_s;
  }
  const AlphaBetaCost schedule = schedule_cost(std::move(plan), network);
  cost.schedule_s = schedule.iteration_s;
  cost.schedule_parts.emplace();
  for (const ExchangeSeconds& row : schedule.exchanges) add(row, *cost.schedule_parts);
}

void price_schedules(const Network& network, const PlanOptions& options, AlphaBeta speed, const CostTableOptions& how,
                     CostTable& table) {
  struct Candidate {
    GridCost* cost;
    Plan plan;
  };
  std::vector<Candidate> candidates;
  for (GridCost& cost : table.grids) {
    if (!cost.impossible.empty()) continue;
    PlanOptions on_grid = options;
    on_grid.grid = cost.grid;
    Plan plan = make_plan(network, on_grid);
    // Counting takes as long as there are ranks: not where one message of each in each collective would be too many.
    const auto collectives = std::count_if(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
      return std::holds_alternative<CollectiveStep>(step);
    });
    if (static_cast<double>(collectives * cost.grid.size()) > how.most_messages) continue;
    cost.messages = messages_of(plan);
    candidates.push_back({&cost, std::move(plan)});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return *a.cost->messages < *b.cost->messages; });
  double left = how.most_messages;
  for (Candidate& candidate : candidates) {
    left -= *candidate.cost->messages;
    if (left < 0) break;
    price_schedule(std::move(candidate.plan), speed, how.prices, *candidate.cost);
  }
}

}  // namespace

CostTable cost_table(const Network& network, const PlanOptions& options, int processes, AlphaBeta speed,
                     const CostTableOptions& how) {
  const auto batch = static_cast<double>(options.batch);
  CostTable table;
  table.layers_before = formula_layers(network, Gather::before_pooling);
  table.layers_after = formula_layers(network, Gather::after_pooling);
  table.formula_3_s = {formula_3_model(table.layers_before, batch, processes, speed),
                       formula_3_model(table.layers_after, batch, processes, speed)};
  if (processes <= options.batch) table.formula_4_s = formula_4_batch(table.layers_before, processes, speed);
  const Kinds kinds = kinds_of(network, table.layers_before);
  if (processes <= kinds.lowest_image)
    table.formula_7_s = formula_7_domain(kinds.convolutions, batch, processes, speed);

  for (const Grid grid : grids_of(processes)) {
    GridCost cost;
    cost.grid = grid;
    if (grid.columns <= options.batch && grid.rows <= kinds.lowest_image)
      cost.formula_9_s = formula_9_all(kinds.others, kinds.convolutions, batch, grid, speed);
    const std::vector<LayerStrategy> strategies = decide(options.strategy, network, grid, options.batch);
    const auto too_wide = std::find_if(strategies.begin(), strategies.end(),
                                       [&](const LayerStrategy& layer) { return layer.grid.columns > options.batch; });
    if (too_wide != strategies.end()) {
      cost.impossible = "a batch of " + std::to_string(options.batch) +
                        " has fewer samples than the Pc = " + std::to_string(too_wide->grid.columns) + " of " +
                        to_string(too_wide->grid);
    } else {
      const auto sum_of_8 = [&](const std::vector<FormulaLayer>& layers) {  // with layers in strips, (9)
        return sum_of(formula_9_terms(network, layers, strategies, batch, speed));
      };
      cost.formula_8_parts = sum_of_8(table.layers_before);
      cost.formula_8_s = {cost.formula_8_parts.total(), sum_of_8(table.layers_after).total()};
      const auto any = [&](LayerKind kind) {
        return std::any_of(strategies.begin(), strategies.end(),
                           [&](const LayerStrategy& layer) { return layer.kind == kind; });
      };
      table.in_strips = table.in_strips || any(LayerKind::domain);
      table.by_columns = table.by_columns || any(LayerKind::columns);
      if (any(LayerKind::domain)) cost.formula_9_s = cost.formula_8_s.before_s;
      const std::vector<char> moved = moved_inputs(network, strategies);
      cost.formula_6_s = {sum_of_6(table.layers_before, moved, batch, processes, speed),
                          sum_of_6(table.layers_after, moved, batch, processes, speed)};
    }
    table.grids.push_back(std::move(cost));
  }
  std::stable_sort(table.grids.begin(), table.grids.end(), [](const GridCost& a, const GridCost& b) {
    if (a.impossible.empty() != b.impossible.empty()) return a.impossible.empty();
    return a.impossible.empty() && a.formula_8_s.before_s < b.formula_8_s.before_s;
  });
  price_schedules(network, options, speed, how, table);
  return table;
}

}  // namespace simtrain
