#include <limits>

#include "base/error.hpp"
#include "train/plan.hpp"

namespace simtrain {

namespace {

// Walks the layers forward, then backward, appending tensors and steps. `gathered_` tells whether all rows of the
// current activation are valid on every rank of a grid column, or only those of the rank's own grid row.
class Builder {
 public:
  Builder(const Network& network, const PlanOptions& options) {
    plan_.network = network;
    plan_.options = options;
    plan_.samples = {options.batch, options.grid.columns};
  }

  Plan build() {
    forward_pass();
    backward_pass();
    return std::move(plan_);
  }

 private:
  struct Done {  // what the backward pass needs to know of a layer's forward
    int in = -1, out = -1;
    View view = View::whole;  // the rows that were computed
  };

  [[nodiscard]] Partition over_rows(std::int64_t total, std::int64_t unit = 1) const {
    return {total, plan_.options.grid.rows, unit};
  }

  int add_tensor(TensorPlan tensor) {
    plan_.tensors.push_back(std::move(tensor));
    return static_cast<int>(plan_.tensors.size()) - 1;
  }

  // A tensor with a column (or an image) per sample.
  int add_samples(std::string name, Role role, Partition rows, std::int64_t row_floats, bool whole) {
    return add_tensor({.name = std::move(name),
                       .role = role,
                       .rows = rows,
                       .row_floats = row_floats,
                       .per_sample = true,
                       .whole = whole});
  }

  void compute(Action action, int layer, int row, Work work, std::array<TensorRef, 4> operands) {
    plan_.steps.push_back(ComputeStep{action, layer, row, work, operands});
  }

  // A group of one has nothing to exchange.
  void collective(Exchange exchange, CollectiveOp operation, int row, int tensor) {
    CollectiveStep step{exchange, operation, Algorithm::automatic, row, tensor};
    const Group group = plan_.group(step, {});
    if (group.size == 1) return;
    const std::int64_t bytes = plan_.blocks(step, {}).size() * static_cast<std::int64_t>(sizeof(float));
    step.algorithm = resolve(plan_.options.algorithm, operation, group.size, bytes);
    plan_.steps.push_back(step);
  }

  void gather_if_needed() {
    if (gathered_) return;
    plan_.tensors[static_cast<std::size_t>(current_)].whole = true;
    collective(Exchange::all_gather, CollectiveOp::all_gather, row_, current_);
    gathered_ = true;
  }

  void weighted_forward(int index, const Layer& layer) {
    gather_if_needed();
    ++row_;
    plan_.report_layers.push_back(index);
    const std::int64_t row_floats = layer.inputs_per_row() + (layer.bias ? 1 : 0);
    TensorPlan weights{.name = layer.name + ".W", .role = Role::weights, .rows = over_rows(layer.out.channels)};
    weights.row_floats = row_floats;
    weights.biases = layer.bias;
    plan_.weights.push_back(add_tensor(weights));
    const int w = plan_.weights.back();
    const int y =
        add_samples(layer.name + ".Y", Role::activation, over_rows(layer.out.channels), layer.out.pixels(), false);
    const bool is_convolution = layer.type == LayerType::convolution;
    const TensorRef in{current_, View::whole}, out{y, View::own}, parameters{w, View::weights};
    if (is_convolution)
      compute(Action::convolution_forward, index, row_, Work::forward, {in, parameters, out});
    else
      compute(Action::linear_forward, index, row_, Work::forward, {parameters, in, out});
    if (layer.bias) compute(Action::bias_forward, index, row_, Work::forward, {TensorRef{w, View::biases}, out});
    done_.push_back({current_, y, View::own});
    current_ = y;
    gathered_ = false;
    if (plan_.options.gather == Gather::before_pooling) gather_if_needed();
  }

  // ReLU in place, pooling and flattening into a new tensor; on the rank's own rows until they are gathered.
  void local_forward(int index, const Layer& layer) {
    const View view = gathered_ ? View::whole : View::own;
    const int in = current_;
    const TensorPlan source = plan_.tensors[static_cast<std::size_t>(in)];
    const int row = row_ < 0 ? 0 : row_;  // what comes before the first weighted layer is counted with it
    if (layer.type == LayerType::relu) {
      compute(Action::relu, index, row, Work::forward, {TensorRef{in, view}, TensorRef{in, view}});
    } else {
      const bool flat = layer.type == LayerType::flatten;
      const Partition rows = flat ? source.rows.scaled(layer.in.pixels()) : source.rows;
      current_ = add_samples(layer.name + ".Y", Role::activation, rows, flat ? 1 : layer.out.pixels(), gathered_);
      compute(flat ? Action::flatten : Action::pool, index, row, Work::forward,
              {TensorRef{in, view}, TensorRef{current_, view}});
    }
    done_.push_back({in, current_, view});
  }

  void forward_pass() {
    const Shape shape = plan_.network.input;
    plan_.input = current_ = add_samples("X", Role::input, over_rows(shape.channels), shape.pixels(), true);
    for (std::size_t i = 0; i < plan_.network.layers.size(); ++i) {
      const Layer& layer = plan_.network.layers[i];
      if (layer.weighted())
        weighted_forward(static_cast<int>(i), layer);
      else
        local_forward(static_cast<int>(i), layer);
    }
    gather_if_needed();
    plan_.labels = add_samples("labels", Role::labels, over_rows(1), 1, true);
    plan_.loss = add_tensor({.name = "loss", .role = Role::loss, .rows = over_rows(1), .whole = true});
    gradient_ = new_gradient(current_, true);
    compute(Action::loss, static_cast<int>(plan_.network.layers.size()) - 1, row_, Work::forward,
            {TensorRef{current_, View::whole}, TensorRef{plan_.labels, View::whole}, TensorRef{gradient_, View::whole},
             TensorRef{plan_.loss, View::whole}});
  }

  // Only two activation gradients are alive at a time, the one that comes in and the one that goes out.
  int new_gradient(int of, bool whole) {
    TensorPlan tensor = plan_.tensors[static_cast<std::size_t>(of)];
    tensor.name = "d" + tensor.name;
    tensor.role = Role::activation_gradient;
    tensor.whole = whole;
    slot_ = 1 - slot_;
    tensor.slot = slot_;
    return add_tensor(tensor);
  }

  // Gradients of the rank's own rows are all that the layer below needs: its products take dY(r).
  void local_backward(int index, const Layer& layer, const Done& done) {
    const TensorRef incoming{gradient_, View::own};
    if (layer.type == LayerType::relu) {
      compute(Action::relu_gradient, index, row_, Work::backward, {incoming, TensorRef{done.out, View::own}, incoming});
      return;
    }
    gradient_ = new_gradient(done.in, false);
    const TensorRef outgoing{gradient_, View::own};
    if (layer.type == LayerType::flatten)
      compute(Action::flatten_gradient, index, row_, Work::backward, {incoming, outgoing});
    else
      compute(Action::pool_gradient, index, row_, Work::backward,
              {incoming, TensorRef{done.in, View::own}, TensorRef{done.out, View::own}, outgoing});
  }

  void weighted_backward(int index, const Layer& layer, const Done& done) {
    const bool is_convolution = layer.type == LayerType::convolution;
    const int w = plan_.weights[static_cast<std::size_t>(row_)];
    TensorPlan like = plan_.tensors[static_cast<std::size_t>(w)];
    like.name = layer.name + ".dW";
    like.role = Role::weight_gradient;
    const int dw = add_tensor(like);
    const TensorRef dy{gradient_, View::own};
    if (row_ > 0) {
      gradient_ = new_gradient(done.in, true);
      const TensorRef dx{gradient_, View::whole}, parameters{w, View::weights};
      if (is_convolution)
        compute(Action::convolution_data_gradient, index, row_, Work::backward, {dy, parameters, dx});
      else
        compute(Action::linear_data_gradient, index, row_, Work::backward, {parameters, dy, dx});
    }
    const TensorRef x{done.in, View::whole}, weights{dw, View::weights};
    compute(is_convolution ? Action::convolution_weight_gradient : Action::linear_weight_gradient, index, row_,
            Work::backward, {dy, x, weights});
    if (layer.bias) compute(Action::bias_gradient, index, row_, Work::backward, {dy, TensorRef{dw, View::biases}});
    if (row_ > 0) collective(Exchange::reduce_data, CollectiveOp::all_reduce, row_, gradient_);
    collective(Exchange::reduce_weights, CollectiveOp::all_reduce, row_, dw);
    update(index, w, dw, like);
    --row_;
  }

  void update(int index, int w, int dw, TensorPlan like) {
    TensorRef momentum;
    if (plan_.options.momentum != 0) {
      like.name = plan_.network.layers[static_cast<std::size_t>(index)].name + ".V";
      like.role = Role::momentum;
      plan_.momenta.insert(plan_.momenta.begin(), add_tensor(like));
      momentum = {plan_.momenta.front(), View::own};
    }
    compute(Action::update, index, row_, Work::update, {TensorRef{dw, View::own}, TensorRef{w, View::own}, momentum});
  }

  void backward_pass() {
    for (int i = static_cast<int>(plan_.network.layers.size()) - 1; i >= 0 && row_ >= 0; --i) {
      const Layer& layer = plan_.network.layers[static_cast<std::size_t>(i)];
      const Done& done = done_[static_cast<std::size_t>(i)];
      if (layer.weighted())
        weighted_backward(i, layer, done);
      else
        local_backward(i, layer, done);
    }
  }

  Plan plan_;
  std::vector<Done> done_;
  int current_ = -1;   // the activation that the next layer reads
  int gradient_ = -1;  // the gradient that the next layer backward reads
  bool gathered_ = true;
  int row_ = -1;
  int slot_ = 0;
};

}  // namespace

Plan make_plan(const Network& network, const PlanOptions& options) {
  if (options.batch < options.grid.columns)
    throw InputError("--batch: " + std::to_string(options.batch) +
                     " samples cannot be split over the Pc = " + std::to_string(options.grid.columns) +
                     " columns of grid " + to_string(options.grid) + "; expected a batch of at least Pc");
  return Builder(network, options).build();
}

}  // namespace simtrain
