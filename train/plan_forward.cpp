#include "train/plan_builder.hpp"

namespace simtrain {

void PlanBuilder::forward_pass() {
  plan_.input = value(kNetworkInput) = add_value(kNetworkInput, over_rows(plan_.network.input.channels), true);
  for (int i = 0; i < static_cast<int>(plan_.network.layers.size()); ++i) {
    if (layer(i).weighted()) {
      for (const int input : layer(i).inputs) gather(value(input));
      plan_.report_layers.push_back(i);
    }
    // What comes before the first weighted layer is counted with it.
    rows_.push_back(plan_.report_layers.empty() ? 0 : static_cast<int>(plan_.report_layers.size()) - 1);
    if (layer(i).weighted())
      weighted_forward(i);
    else if (layer(i).type == LayerType::batch_norm)
      normalise_forward(i);
    else if (layer(i).type == LayerType::add)
      add_forward(i);
    else
      local_forward(i);
    if (plan_.options.gather == Gather::before_pooling && layer(i).weighted() && !layer(i).normalised) gather(value(i));
    bool needs = layer(i).weighted();
    for (const int input : layer(i).inputs)
      needs = needs || needs_gradient_[static_cast<std::size_t>(value(input))] != 0;
    needs_gradient_[static_cast<std::size_t>(value(i))] = needs ? 1 : 0;
  }
  loss();
}

void PlanBuilder::gather(int of) {
  char& gathered = gathered_[static_cast<std::size_t>(of)];
  if (gathered != 0) return;
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
  TensorPlan weights{.name = of.name + ".W", .role = Role::weights, .rows = over_rows(of.out.channels)};
  weights.row_floats = of.inputs_per_row() + (of.bias ? 1 : 0) + (of.normalised ? 2 : 0);
  weights.biases = of.bias;
  weights.normalised = of.normalised;
  const int w = add_tensor(weights);
  plan_.weights.push_back(w);
  value(index) = add_value(index, over_rows(of.out.channels), false);
  const TensorRef in{value(of.inputs[0]), View::whole}, out{value(index), View::own}, parameters{w, View::weights};
  if (of.type == LayerType::convolution)
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
  statistics = add_tensor(
      {.name = of.name + ".S", .role = Role::statistics, .rows = over_rows(of.out.channels), .row_floats = 2});
  compute(Action::normalise, index, Work::forward,
          {TensorRef{in, View::own}, TensorRef{w, View::normalisation}, TensorRef{value(index), View::own},
           TensorRef{statistics, View::own}});
}

void PlanBuilder::add_forward(int index) {
  int into = layer(index).inputs[0], other = layer(index).inputs[1];
  if (!may_overwrite(into)) std::swap(into, other);
  const auto both = [&](int a) { return TensorRef{a, View::own}; };
  if (may_overwrite(into) && into != other && gathered_[static_cast<std::size_t>(value(into))] == 0) {
    value(index) = value(into);
  } else {
    value(index) = add_value(index, tensor(value(into)).rows, false);
    compute(Action::copy, index, Work::forward, {both(value(into)), both(value(index))});
  }
  compute(Action::add, index, Work::forward, {both(value(other)), both(value(index))});
}

void PlanBuilder::local_forward(int index) {
  const Layer& of = layer(index);
  const int producer = of.inputs[0], in = value(producer);
  const View view = rows_at_hand(in);
  const bool in_place = of.type == LayerType::relu ? may_overwrite(producer)
                        : of.type == LayerType::dropout
                            ? producer != kNetworkInput && readers_[static_cast<std::size_t>(producer + 1)] == 1 &&
                                  layer(producer).type != LayerType::max_pool
                            : false;
  if (in_place) {
    value(index) = in;
  } else {
    const Partition rows =
        of.type == LayerType::flatten ? tensor(in).rows.scaled(of.in.pixels()) : Partition(tensor(in).rows);
    value(index) = add_value(index, rows, view == View::whole);
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
      return compute(Action::pool, index, Work::forward, {from, to});
  }
}

void PlanBuilder::loss() {
  const int last = static_cast<int>(plan_.network.layers.size()) - 1, logits = value(last);
  gather(logits);
  plan_.labels = add_tensor({.name = "labels",
                             .role = Role::labels,
                             .rows = over_rows(1),
                             .row_floats = 1,
                             .per_sample = true,
                             .whole = true});
  plan_.loss = add_tensor({.name = "loss", .role = Role::loss, .rows = over_rows(1), .whole = true});
  gradient(logits) = new_gradient(logits, true);
  compute(Action::loss, last, Work::forward,
          {TensorRef{logits, View::whole}, TensorRef{plan_.labels, View::whole},
           TensorRef{gradient(logits), View::whole}, TensorRef{plan_.loss, View::whole}});
}

}  // namespace simtrain
