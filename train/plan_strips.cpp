// What layers in strips need: extended tensors, halo exchanges around computing.
#include "train/plan_builder.hpp"

namespace simtrain {

void PlanBuilder::cut(TensorPlan& tensor, Shape image, int index) const {
  tensor.rows = {tensor.rows.total, 1, tensor.rows.unit};
  tensor.row_floats = image.width;
  tensor.whole = false;
  tensor.strips = {.height = image.height, .outputs = {image.height, grid(index).rows}};
}

int PlanBuilder::extended_input(int index) {
  const int in = input(index, 0);
  int& seen = seen_[static_cast<std::size_t>(index)];
  if (!in_strips(index)) return seen;
  const Layer& of = layer(index);
  const Strips windows{of.in.height, {of.out.height, grid(index).rows}, of.kernel, of.stride, of.padding};
  if (trivial(tensor(in).strips, windows)) return seen;
  TensorPlan extended = tensor(in);
  extended.name = of.name + ".X";
  extended.role = Role::activation;
  extended.strips = windows;
  seen = add_tensor(extended);
  halo(index, HaloStep::Stage::begin, false, in, seen);
  if (!of.weighted()) halo(index, HaloStep::Stage::end, false, in, seen);
  return seen;
}

void PlanBuilder::halo(int index, HaloStep::Stage stage, bool of_gradient, int own, int extended) {
  plan_.steps.push_back(HaloStep{stage, of_gradient, row(index), own, extended});
}

void PlanBuilder::convolution_forward_in_strips(int index, TensorRef parameters, TensorRef out) {
  const TensorRef in{extended_input(index), View::whole};
  if (!extended(index)) return compute(Action::convolution_forward, index, Work::forward, {in, parameters, out});
  compute(Action::convolution_interior, index, Work::forward, {in, parameters, out});
  halo(index, HaloStep::Stage::end, false, input(index, 0), in.tensor);
  compute(Action::convolution_above, index, Work::forward, {in, parameters, out});
  compute(Action::convolution_below, index, Work::forward, {in, parameters, out});
}

PlanBuilder::InputGradient PlanBuilder::start_input_gradient(int index) {
  const int in = input(index, 0);
  if (!extended(index)) {
    const int made = new_gradient(in, !tensor(in).in_strips());
    return {made, made};
  }
  const int seen = new_gradient(seen_[static_cast<std::size_t>(index)], false);
  return {seen, new_gradient(in, false)};
}

void PlanBuilder::send_halo_back(int index, const InputGradient& made) {
  if (made.seen != made.own) halo(index, HaloStep::Stage::begin, true, made.own, made.seen);
}

void PlanBuilder::finish_input_gradient(int index, const InputGradient& made) {
  if (made.seen != made.own) halo(index, HaloStep::Stage::end, true, made.own, made.seen);
}

void PlanBuilder::pool_backward_in_strips(int index) {
  const int in = input(index, 0), out = value(index), incoming = gradient(out);
  const InputGradient outgoing = start_input_gradient(index);
  const auto all = [](int each) { return TensorRef{each, View::own}; };
  compute(Action::pool_gradient, index, Work::backward,
          {all(incoming), all(seen_[static_cast<std::size_t>(index)]), all(out), all(outgoing.seen)});
  send_halo_back(index, outgoing);
  finish_input_gradient(index, outgoing);
  gradient(out) = -1;
  accumulate(in, outgoing.own, false);
}

}  // namespace simtrain
