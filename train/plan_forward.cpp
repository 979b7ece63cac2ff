#include "train/plan_builder.hpp"

namespace simtrain {

void PlanBuilder::forward_pass() {
  plan_.input = value(kNetworkInput) =
      add_value(kNetworkInput, over_rows(plan_.network.input.channels, kNetworkInput), true);
  for (int i = 0; i < static_cast<int>(plan_.network.layers.size()); ++i) {
    if (layer(i).weighted()) plan_.report_layers.push_back(i);
    // What comes before the first weighted layer is counted with it.
    rows_.push_back(plan_.report_layers.empty() ? 0 : static_cast<int>(plan_.report_layers.size()) - 1);
    fetch_inputs(i);
    if (layer(i).weighted())
      weighted_forward(i);
    else if (layer(i).type == LayerType::batch_norm)
      normalise_forward(i);
    else if (layer(i).type == LayerType::add)
      add_forward(i);
    else
      local_forward(i);
    if (plan_.options.gather == Gather::before_pooling && layer(i).weighted() && !layer(i).normalised &&
        read_whole_[static_cast<std::size_t>(i)] != 0)
      gather(value(i));
    bool needs = layer(i).weighted();
    for (const int input : layer(i).inputs)
      needs = needs || needs_gradient_[static_cast<std::size_t>(value(input))] != 0;
    needs_gradient_[static_cast<std::size_t>(value(i))] = needs ? 1 : 0;
  }
  loss();
}

// Products by rows of W need all rows of X, those by columns only the rank's own. Images that come out of strips are
// flattened where they are read, as that layer needs them.
bool PlanBuilder::needs_whole_input(int index, int producer) {
  const bool out_of_strips = layer(index).type == LayerType::flatten && tensor(value(producer)).in_strips();
  if (layer(index).weighted() || out_of_strips) return strategy(index).kind != LayerKind::columns;
  return joins_replicated(index);
}

void PlanBuilder::fetch_inputs(int index) {
  for (const int producer : layer(index).inputs)
    inputs_[static_cast<std::size_t>(index)].push_back(
        on_grid_of(index, value(producer), needs_whole_input(index, producer)));
  seen_[static_cast<std::size_t>(index)] = input(index, 0);
}

int PlanBuilder::on_grid_of(int index, int source, bool whole) {
  int here = split_as(index, source) ? source : -1;
  for (const Move& move : moves_)
    if (move.from == source && split_as(index, move.to)) here = move.to;
  if (here >= 0) {
    if (whole) gather(here);
    return here;
  }
  TensorPlan copy = tensor(source);
  copy.name += "@" + to_string(grid(index));
  copy.role = Role::activation;
  copy.grid = grid(index);
  if (in_strips(index)) {
    cut(copy, layer(index).in, index);
    whole = false;
  } else {
    copy.rows.parts = copy.grid.rows;
    if (copy.in_strips()) copy.row_floats *= copy.strips.height;
    copy.strips = {};
    copy.whole = whole;
  }
  const int to = add_tensor(copy);
  gathered_[static_cast<std::size_t>(to)] = whole ? 1 : 0;
  needs_gradient_[static_cast<std::size_t>(to)] = needs_gradient_[static_cast<std::size_t>(source)];
  producer_rows_[static_cast<std::size_t>(to)] = row(index);
  plan_.steps.push_back(
      RedistributeStep{row(index), source, to, gathered_[static_cast<std::size_t>(source)] != 0, whole});
  moves_.push_back({source, to, index});
  return to;
}

void PlanBuilder::gather(int of) {
  char& gathered = gathered_[static_cast<std::size_t>(of)];
  if (gathered != 0 || tensor(of).in_strips()) return;  // strips have all rows
  tensor(of).whole = true;
  collective(Exchange::all_gather, CollectiveOp::all_gather, producer_rows_[static_cast<std::size_t>(of)], of);
  gathered = 1;
}

bool PlanBuilder::may_overwrite(int producer) const {
  if (producer == kNetworkInput || readers_[static_cast<std::size_t>(producer + 1)] > 1) return false;
  const LayerType type = layer(producer).type;
  // Their gradients, and that of a ReLU below a dropout, read what they put out.
  return type != LayerType::relu && type != LayerType::max_pool && type != LayerType::dropout;
}

void PlanBuilder::weighted_forward(int index) {
  const Layer& of = layer(index);
  TensorPlan weights{.name = of.name + ".W",
                     .role = Role::weights,
                     .layer = index,
                     .grid = plan_.weights_grid(index),
                     .rows = over_rows(of.out.channels, index)};
  weights.row_floats = of.inputs_per_row() + (of.bias ? 1 : 0) + (of.normalised ? 2 : 0);
  weights.biases = of.bias;
  weights.normalised = of.normalised;
  if (plan_.by_columns(index)) weights.columns = tensor(input(index, 0)).rows;
  const int w = add_tensor(weights);
  plan_.weights.push_back(w);
  if (plan_.by_columns(index)) return columns_forward(index, w);
  value(index) = add_value(index, over_rows(of.out.channels, index), false);
  const TensorRef in{input(index, 0), View::whole}, out{value(index), View::own}, parameters{w, View::weights};
  if (in_strips(index))
    convolution_forward_in_strips(index, parameters, out);
  else if (of.type == LayerType::convolution)
    compute(Action::convolution_forward, index, Work::forward, {in, parameters, out});
  else
    compute(Action::linear_forward, index, Work::forward, {parameters, in, out});
  if (of.bias) compute(Action::bias_forward, index, Work::forward, {TensorRef{w, View::biases}, out});
}

void PlanBuilder::normalise_forward(int index) {
  const Layer& of = layer(index);
  const int in = value(of.inputs[0]), w = plan_.weights[static_cast<std::size_t>(row(of.inputs[0]))];
  value(index) = add_value(index, tensor(in).rows, false);
  int& statistics = statistics_[static_cast<std::size_t>(index)];
  statistics = add_tensor({.name = of.name + ".S",
                           .role = Role::statistics,
                           .layer = index,
                           .grid = plan_.weights_grid(index),
                           .rows = over_rows(of.out.channels, index),
                           .row_floats = 2});
  compute(Action::normalise, index, Work::forward,
          {TensorRef{in, View::own}, TensorRef{w, View::normalisation}, TensorRef{value(index), View::own},
           TensorRef{statistics, View::own}});
}

void PlanBuilder::add_forward(int index) {
  const std::vector<int>& producers = layer(index).inputs;
  const auto overwritable = [&](int which) {
    const int producer = producers[static_cast<std::size_t>(which)];
    return may_overwrite(producer) && input(index, which) == value(producer);  // not what came from another grid
  };
  int into = 0, other = 1;
  if (!overwritable(into)) std::swap(into, other);
  const int first = input(index, into), second = input(index, other);
  const bool whole = joins_replicated(index);
  const auto both = [&](int a) { return TensorRef{a, whole ? View::whole : View::own}; };
  if (overwritable(into) && producers[0] != producers[1] &&
      (whole || gathered_[static_cast<std::size_t>(first)] == 0)) {
    value(index) = first;
  } else {
    value(index) = add_value(index, tensor(first).rows, whole);
    compute(Action::copy, index, Work::forward, {both(first), both(value(index))});
  }
  replicated_[static_cast<std::size_t>(value(index))] = whole ? 1 : 0;
  compute(Action::add, index, Work::forward, {both(second), both(value(index))});
}

void PlanBuilder::local_forward(int index) {
  const Layer& of = layer(index);
  const int producer = of.inputs[0], in = input(index, 0);
  const View view = rows_at_hand(in);
  const bool in_place = of.type == LayerType::relu ? may_overwrite(producer)
                        : of.type == LayerType::dropout
                            ? producer != kNetworkInput && readers_[static_cast<std::size_t>(producer + 1)] == 1 &&
                                  layer(producer).type != LayerType::max_pool
                            : false;
  if (in_place) {
    value(index) = in;
  } else {
    const Partition rows = of.type == LayerType::flatten ? flattened_rows(index) : Partition(tensor(in).rows);
    value(index) = add_value(index, rows, view == View::whole);
    replicated_[static_cast<std::size_t>(value(index))] = replicated(in) ? 1 : 0;
  }
  const TensorRef from{in, view}, to{value(index), view};
  switch (of.type) {
    case LayerType::relu:
      return compute(Action::relu, index, Work::forward, {from, to});
    case LayerType::flatten:
      return compute(Action::flatten, index, Work::forward, {from, to});
    case LayerType::dropout:
      return compute(Action::dropout, index, Work::forward, {from, to});
    default:
      return compute(Action::pool, index, Work::forward, {TensorRef{extended_input(index), view}, to});
  }
}

void PlanBuilder::loss() {
  const int last = static_cast<int>(plan_.network.layers.size()) - 1, logits = value(last);
  gather(logits);
  plan_.labels = add_tensor({.name = "labels",
                             .role = Role::labels,
                             .layer = last,
                             .grid = grid(last),
                             .rows = over_rows(1, last),
                             .row_floats = 1,
                             .per_sample = true,
                             .whole = true});
  plan_.loss = add_tensor({.name = "loss",
                           .role = Role::loss,
                           .layer = last,
                           .grid = grid(last),
                           .rows = over_rows(1, last),
                           .whole = true});
  gradient(logits) = new_gradient(logits, true);
  complete(gradient(logits)) = 1;
  compute(Action::loss, last, Work::forward,
          {TensorRef{logits, View::whole}, TensorRef{plan_.labels, View::whole},
           TensorRef{gradient(logits), View::whole}, TensorRef{plan_.loss, View::whole}});
}

}  // namespace simtrain
