#include <algorithm>

#include "base/error.hpp"
#include "train/plan_builder.hpp"

namespace simtrain {

// Layers in reverse: by the time of a layer, all that read its output have added their part to its gradient. Gradients
// of the rank's own rows are all that is needed: the products of the layer below take dY(r). But where the layer below
// is split by columns: it takes all of dY.
void PlanBuilder::backward_pass() {
  weight_gradients_.assign(plan_.weights.size(), -1);
  for (int i = static_cast<int>(plan_.network.layers.size()) - 1; i >= 0; --i) {
    const bool read = gradient(value(i)) >= 0;
    if (read && needs_gradient_[static_cast<std::size_t>(value(i))] != 0) backward(i);
    for (const Move& move : moves_)
      if (move.first_reader == i) backward(move);
  }
}

void PlanBuilder::backward(int index) {
  if (plan_.by_columns(index)) return columns_backward(index);
  if (layer(index).weighted()) return weighted_backward(index);
  if (layer(index).type == LayerType::batch_norm) return normalise_backward(index);
  if (layer(index).type == LayerType::add) return add_backward(index);
  local_backward(index);
}

// By now all layers that read the value on the other grid have added their part to its gradient.
void PlanBuilder::backward(const Move& move) {
  const int incoming = gradient(move.to);
  if (incoming < 0) return;
  const bool whole = replicated(move.from);
  const int outgoing = new_gradient(move.from, whole);
  plan_.steps.push_back(RedistributeStep{row(move.first_reader), incoming, outgoing, complete(incoming) != 0, whole});
  complete(outgoing) = whole ? 1 : 0;
  gradient(move.to) = -1;
  accumulate(move.from, outgoing, false);
}

int PlanBuilder::new_gradient(int of, bool whole) {
  TensorPlan like = tensor(of);
  like.name = "d" + like.name;
  like.role = Role::activation_gradient;
  like.whole = whole;
  return add_tensor(like);
}

int PlanBuilder::weight_gradient(int report_row) {
  int& made = weight_gradients_[static_cast<std::size_t>(report_row)];
  if (made < 0) {
    TensorPlan like = tensor(plan_.weights[static_cast<std::size_t>(report_row)]);
    like.name = "d" + like.name;
    like.role = Role::weight_gradient;
    made = add_tensor(like);
  }
  return made;
}

int PlanBuilder::readers(int of) const {
  return static_cast<int>(std::count(gradients_.begin(), gradients_.end(), of));
}

void PlanBuilder::accumulate(int of, int from, bool shared) {
  if (needs_gradient_[static_cast<std::size_t>(of)] == 0) return;
  SIMTRAIN_INVARIANT(!replicated(of) || complete(from) != 0, "some rows of " + tensor(from).name + " are missing");
  const int before = gradient(of);
  if (before < 0) {
    gradient(of) = from;
    return;
  }
  const View view = gradient_rows(of);
  const auto rows = [view](int each) { return TensorRef{each, view}; };
  const int counted_with = layer_of(of);
  int into = from, other = before;
  if (shared || readers(from) > 0) std::swap(into, other);
  if (into == before && (readers(before) > 1 || before == from)) {  // both are read by others: sum in a third place
    into = new_gradient(of, replicated(of));
    other = from;
    compute(Action::copy, counted_with, Work::backward, {rows(before), rows(into)}, of);
  }
  compute(Action::add, counted_with, Work::backward, {rows(other), rows(into)}, of);
  complete(into) = replicated(of) ? 1 : 0;
  gradient(of) = into;
}

int PlanBuilder::layer_of(int of) const {
  for (const Move& move : moves_)
    if (move.to == of) return move.first_reader;
  for (std::size_t i = values_.size(); i-- > 1;)
    if (values_[i] == of) return static_cast<int>(i) - 1;
  return 0;
}

void PlanBuilder::weighted_backward(int index) {
  const Layer& of = layer(index);
  const int in = input(index, 0), w = plan_.weights[static_cast<std::size_t>(row(index))];
  const int dw = weight_gradient(row(index)), incoming = gradient(value(index));
  const bool is_convolution = of.type == LayerType::convolution;
  const TensorRef dy{incoming, View::own}, parameters{w, View::weights};
  const bool passes_on = needs_gradient_[static_cast<std::size_t>(in)] != 0;
  InputGradient outgoing;
  if (passes_on) {
    outgoing = start_input_gradient(index);
    const TensorRef dx{outgoing.seen, View::whole};
    if (is_convolution)
      compute(Action::convolution_data_gradient, index, Work::backward, {dy, parameters, dx});
    else
      compute(Action::linear_data_gradient, index, Work::backward, {parameters, dy, dx});
    send_halo_back(index, outgoing);
  }
  compute(is_convolution ? Action::convolution_weight_gradient : Action::linear_weight_gradient, index, Work::backward,
          {dy, TensorRef{seen_[static_cast<std::size_t>(index)], View::whole}, TensorRef{dw, View::weights}});
  if (of.bias) compute(Action::bias_gradient, index, Work::backward, {dy, TensorRef{dw, View::biases}});
  gradient(value(index)) = -1;
  if (passes_on) {
    finish_input_gradient(index, outgoing);
    if (!in_strips(index)) {
      collective(Exchange::reduce_data, CollectiveOp::all_reduce, row(index), outgoing.own);
      complete(outgoing.own) = 1;
    }
    accumulate(in, outgoing.own, false);
  }
  collective(Exchange::reduce_weights, CollectiveOp::all_reduce, row(index), dw);
  update(index);
}

void PlanBuilder::update(int index) {
  const int w = plan_.weights[static_cast<std::size_t>(row(index))], dw = weight_gradient(row(index));
  TensorRef momentum;
  if (plan_.options.momentum != 0) {
    TensorPlan like = tensor(w);
    like.name = layer(index).name + ".V";
    like.role = Role::momentum;
    momentum = {add_tensor(like), View::own};
  }
  compute(Action::update, index, Work::update, {TensorRef{dw, View::own}, TensorRef{w, View::own}, momentum});
}

void PlanBuilder::normalise_backward(int index) {
  const int convolution = layer(index).inputs[0], in = value(convolution), incoming = gradient(value(index));
  const int outgoing = new_gradient(in, false);
  compute(Action::normalise_gradient, index, Work::backward,
          {TensorRef{incoming, View::own}, TensorRef{in, View::own},
           TensorRef{statistics_[static_cast<std::size_t>(index)], View::own},
           TensorRef{plan_.weights[static_cast<std::size_t>(row(convolution))], View::normalisation},
           TensorRef{outgoing, View::own}, TensorRef{weight_gradient(row(convolution)), View::normalisation}});
  gradient(value(index)) = -1;
  accumulate(in, outgoing, false);
}

// Both inputs get the gradient as it is.
void PlanBuilder::add_backward(int index) {
  const int incoming = gradient(value(index));
  gradient(value(index)) = -1;
  accumulate(input(index, 0), incoming, true);
  accumulate(input(index, 1), incoming, true);
}

void PlanBuilder::local_backward(int index) {
  const Layer& of = layer(index);
  const int in = input(index, 0), out = value(index), incoming = gradient(out);
  if (in_strips(index) && (of.type == LayerType::max_pool || of.type == LayerType::average_pool))
    return pool_backward_in_strips(index);
  const bool same_shape = of.type == LayerType::relu || of.type == LayerType::dropout;
  const int outgoing = same_shape && readers(incoming) == 1 ? incoming : new_gradient(in, replicated(in));
  const View view = gradient_rows(in);
  const TensorRef from{incoming, view}, to{outgoing, view};
  switch (of.type) {
    case LayerType::relu:
      compute(Action::relu_gradient, index, Work::backward, {from, TensorRef{out, view}, to});
      break;
    case LayerType::dropout:
      compute(Action::dropout, index, Work::backward, {from, to});
      break;
    case LayerType::flatten:
      compute(Action::flatten_gradient, index, Work::backward, {from, to});
      break;
    default:
      compute(Action::pool_gradient, index, Work::backward, {from, TensorRef{in, view}, TensorRef{out, view}, to});
  }
  complete(outgoing) = replicated(in) ? 1 : 0;
  gradient(out) = -1;
  if (in == out)
    gradient(in) = outgoing;
  else
    accumulate(in, outgoing, false);
}

}  // namespace simtrain
