// What layers split by columns need: products of a rank's own rows of X, summed over the ranks of a grid column.
#include "base/error.hpp"
#include "train/plan_builder.hpp"

namespace simtrain {

void PlanBuilder::columns_forward(int index, int weights) {
  const Layer& of = layer(index);
  const TensorRef in{input(index, 0), View::own};
  const int out = value(index) = add_value(index, over_rows(of.out.channels, index), true);
  replicated_[static_cast<std::size_t>(out)] = 1;
  compute(Action::linear_forward, index, Work::forward,
          {TensorRef{weights, View::weights}, in, TensorRef{out, View::whole}});
  // Before the sum, by the one rank of a grid column that has the bias: added once, and no copies that could come
  // apart.
  if (of.bias)
    compute(Action::bias_forward, index, Work::forward, {TensorRef{weights, View::biases}, TensorRef{out, View::own}});
  collective(Exchange::reduce_output, CollectiveOp::all_reduce, row(index), out);
}

void PlanBuilder::columns_backward(int index) {
  const int in = input(index, 0), w = plan_.weights[static_cast<std::size_t>(row(index))];
  const int dw = weight_gradient(row(index)), incoming = gradient(value(index));
  SIMTRAIN_INVARIANT(complete(incoming) != 0, "some rows of " + tensor(incoming).name + " are missing");
  const TensorRef dy{incoming, View::whole};
  const bool passes_on = needs_gradient_[static_cast<std::size_t>(in)] != 0;
  const int outgoing = passes_on ? new_gradient(in, false) : -1;
  if (passes_on)
    compute(Action::linear_data_gradient, index, Work::backward,
            {TensorRef{w, View::weights}, dy, TensorRef{outgoing, View::own}});
  compute(Action::linear_weight_gradient, index, Work::backward,
          {dy, TensorRef{in, View::own}, TensorRef{dw, View::weights}});
  if (layer(index).bias)
    compute(Action::bias_gradient, index, Work::backward,
            {TensorRef{incoming, View::own}, TensorRef{dw, View::biases}});
  gradient(value(index)) = -1;
  if (passes_on) accumulate(in, outgoing, false);
  collective(Exchange::reduce_weights, CollectiveOp::all_reduce, row(index), dw);
  update(index);
}

// The rows that a rank owns of the input are its pixels of the channels that it has. Where nobody sends a gradient back
// and all ranks have all of the input, features need not follow channels, of which there may be one.
Partition PlanBuilder::flattened_rows(int index) const {
  const int in = input(index, 0);
  const Partition rows = plan_.tensors[static_cast<std::size_t>(in)].rows.scaled(layer(index).in.pixels());
  const bool free = needs_gradient_[static_cast<std::size_t>(in)] == 0 && rows_at_hand(in) == View::whole;
  return free && strategy(index).kind == LayerKind::columns ? Partition{rows.size(), rows.parts} : rows;
}

bool PlanBuilder::joins_replicated(int index) {
  if (layer(index).type != LayerType::add) return false;
  for (const int producer : layer(index).inputs)
    if (replicated(value(producer)) && split_as(index, value(producer))) return true;
  return false;
}

}  // namespace simtrain
