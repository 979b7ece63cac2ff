#include "train/plan_builder.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "train/columns.hpp"
#include "train/plan_overlap.hpp"

namespace simtrain {

namespace {

// Dropout layers let everything through unless the job asks for them: then they are not there at all.
Network without_dropout(const Network& network) {
  Network result = network;
  result.layers.clear();
  std::vector<int> now;  // by layer of `network`: where its output comes from
  const auto moved = [&](int old) { return old == kNetworkInput ? kNetworkInput : now[static_cast<std::size_t>(old)]; };
  for (Layer layer : network.layers) {
    for (int& input : layer.inputs) input = moved(input);
    if (layer.type == LayerType::dropout) {
      now.push_back(layer.inputs[0]);
    } else {
      now.push_back(static_cast<int>(result.layers.size()));
      result.layers.push_back(std::move(layer));
    }
  }
  return result;
}

}  // namespace

PlanBuilder::PlanBuilder(const Network& network, const PlanOptions& options) {
  plan_.network = options.dropout ? network : without_dropout(network);
  plan_.options = options;
  plan_.strategies = decide(options.strategy, plan_.network, options.grid, options.batch);
  for (std::size_t i = plan_.strategies.size(); i-- > 0;)
    if (layer(static_cast<int>(i)).weighted()) first_ = plan_.strategies[i];
  read_whole_ = read_whole(plan_.network, plan_.strategies);
  const std::size_t layers = plan_.network.layers.size();
  inputs_.resize(layers);
  seen_.assign(layers, -1);
  values_.assign(layers + 1, -1);
  readers_.assign(layers + 1, 0);
  statistics_.assign(layers, -1);
  for (const Layer& each : plan_.network.layers)
    for (const int input : each.inputs) ++readers_[static_cast<std::size_t>(input + 1)];
}

Plan PlanBuilder::build() {
  forward_pass();
  backward_pass();
  share_memory_of_gradients();
  overlap_communication(plan_);
  return std::move(plan_);
}

int PlanBuilder::add_tensor(TensorPlan tensor) {
  plan_.tensors.push_back(std::move(tensor));
  gathered_.push_back(0);
  replicated_.push_back(0);
  needs_gradient_.push_back(0);
  producer_rows_.push_back(std::max(0, static_cast<int>(plan_.weights.size()) - 1));
  gradients_.push_back(-1);
  complete_.push_back(0);
  return static_cast<int>(plan_.tensors.size()) - 1;
}

int PlanBuilder::add_value(int index, Partition rows, bool whole) {
  const bool input = index == kNetworkInput;
  const Shape shape = input ? plan_.network.input : layer(index).out;
  const std::int64_t row_floats = rows.unit == 1 ? shape.pixels() : 1;  // flat rows are pixels themselves
  TensorPlan value{.name = input ? "X" : layer(index).name + ".Y",
                   .role = input ? Role::input : Role::activation,
                   .layer = index,
                   .grid = grid(index),
                   .rows = rows,
                   .row_floats = row_floats,
                   .per_sample = true,
                   .whole = whole};
  if (in_strips(index)) {
    cut(value, shape, index);
    whole = false;
  }
  const int made = add_tensor(value);
  gathered_[static_cast<std::size_t>(made)] = whole ? 1 : 0;
  return made;
}

void PlanBuilder::compute(Action action, int index, Work work, std::array<TensorRef, 6> operands, int sum) {
  plan_.steps.push_back(ComputeStep{action, index, row(index), work, operands, sum});
}

void PlanBuilder::collective(Exchange exchange, CollectiveOp operation, int report_row, int of) {
  CollectiveStep step{exchange, operation, Algorithm::automatic, report_row, of};
  const Group group = plan_.group(step, {});
  if (group.size == 1) return;
  const std::int64_t bytes = plan_.blocks(step, {}).size() * static_cast<std::int64_t>(sizeof(float));
  step.algorithm = resolve(plan_.options.algorithm, operation, group.size, bytes);
  plan_.steps.push_back(step);
}

// Gradients of activations live from the step that writes them first to the one that reads them last. Each gets the
// first memory that is free by then: two in a chain of layers, three where a residual join holds one.
void PlanBuilder::share_memory_of_gradients() {
  constexpr int kUnused = -1;
  struct Life {
    int first = kUnused, last = kUnused;
  };
  std::vector<Life> lives(plan_.tensors.size());
  const auto used = [&](int of, int step) {
    if (of < 0) return;
    Life& life = lives[static_cast<std::size_t>(of)];
    if (life.first == kUnused) life.first = step;
    life.last = step;
  };
  for (int step = 0; step < static_cast<int>(plan_.steps.size()); ++step) {
    const Step& each = plan_.steps[static_cast<std::size_t>(step)];
    if (const auto* computing = std::get_if<ComputeStep>(&each))
      for (const TensorRef& operand : computing->operands) used(operand.tensor, step);
    else if (const auto* collective = std::get_if<CollectiveStep>(&each))
      used(collective->tensor, step);
    else if (const auto* redistribute = std::get_if<RedistributeStep>(&each))
      for (const int moved : {redistribute->from, redistribute->to}) used(moved, step);
    else
      for (const int moved : {std::get<HaloStep>(each).own, std::get<HaloStep>(each).extended}) used(moved, step);
  }
  std::vector<int> order;  // gradients, by the step that writes them first
  for (int i = 0; i < static_cast<int>(plan_.tensors.size()); ++i)
    if (tensor(i).role == Role::activation_gradient) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return lives[static_cast<std::size_t>(a)].first < lives[static_cast<std::size_t>(b)].first;
  });
  std::vector<int> free_after;  // by slot
  for (const int each : order) {
    const Life life = lives[static_cast<std::size_t>(each)];
    const auto free = std::find_if(free_after.begin(), free_after.end(), [&](int last) { return last < life.first; });
    tensor(each).slot = static_cast<int>(free - free_after.begin());
    if (free == free_after.end())
      free_after.push_back(life.last);
    else
      *free = life.last;
  }
  plan_.slots = static_cast<int>(free_after.size());
}

namespace {

// How as many processes can share the batch. `grid`: of a layer, with more columns than there are samples.
std::string ways_out(const PlanOptions& options, LayerType type, Grid grid) {
  const auto processes = static_cast<int>(grid.size());
  int columns = 1;
  for (int c = 1; c <= std::min<std::int64_t>(options.batch, processes); ++c)
    if (processes % c == 0) columns = c;
  const std::string fewer = to_string(Grid{processes / columns, columns});
  if (options.strategy.kind == Strategy::Kind::domain && type != LayerType::convolution)
    return ", or, since only convolutions are cut into strips, --grid " + fewer;
  return ", or fewer columns, such as " + fewer;
}

}  // namespace

Plan make_plan(const Network& network, const PlanOptions& options) {
  const std::vector<LayerStrategy> strategies = decide(options.strategy, network, options.grid, options.batch);
  for (std::size_t i = 0; i < strategies.size(); ++i)
    if (const Grid grid = strategies[i].grid; options.batch < grid.columns)
      throw InputError("--batch: " + std::to_string(options.batch) +
                       " samples cannot be split over the Pc = " + std::to_string(grid.columns) + " columns of grid " +
                       to_string(grid) + (grid == options.grid ? "" : " of layer '" + network.layers[i].name + "'") +
                       "; expected a batch of at least Pc" + ways_out(options, network.layers[i].type, grid));
  return PlanBuilder(network, options).build();
}

}  // namespace simtrain
