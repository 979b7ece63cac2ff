// Builds a plan: forward through the layers, then backward (train/plan_forward.cpp, train/plan_backward.cpp), both with
// what layers in strips and layers split by columns need besides (train/plan_strips.cpp, train/plan_columns.cpp).
// Internal to make_plan.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "train/plan.hpp"

namespace simtrain {

class PlanBuilder {
 public:
  PlanBuilder(const Network& network, const PlanOptions& options);
  Plan build();

 private:
  // ---- both passes (plan_builder.cpp)
  int add_tensor(TensorPlan tensor);
  void compute(Action action, int layer, Work work, std::array<TensorRef, 6> operands, int sum = -1);
  // Nothing for a group of one.
  void collective(Exchange exchange, CollectiveOp operation, int row, int tensor);
  void share_memory_of_gradients();
  [[nodiscard]] const Layer& layer(int index) const { return plan_.network.layers[static_cast<std::size_t>(index)]; }
  [[nodiscard]] TensorPlan& tensor(int index) { return plan_.tensors[static_cast<std::size_t>(index)]; }
  // What a layer puts out, or kNetworkInput.
  int& value(int layer) { return values_[static_cast<std::size_t>(layer + 1)]; }
  [[nodiscard]] int row(int layer) const { return rows_[static_cast<std::size_t>(layer)]; }
  // How a layer is split; kNetworkInput as the first layer with weights.
  [[nodiscard]] const LayerStrategy& strategy(int layer) const {
    return layer == kNetworkInput ? first_ : plan_.strategies[static_cast<std::size_t>(layer)];
  }
  [[nodiscard]] Grid grid(int layer) const { return strategy(layer).grid; }
  [[nodiscard]] bool in_strips(int layer) const { return strategy(layer).kind == LayerKind::domain; }
  // Whether a tensor is split as a layer's activations are.
  [[nodiscard]] bool split_as(int layer, int of) const {
    const TensorPlan& tensor = plan_.tensors[static_cast<std::size_t>(of)];
    return tensor.grid == grid(layer) && tensor.in_strips() == in_strips(layer);
  }
  [[nodiscard]] Partition over_rows(std::int64_t total, int layer) const {
    return {total, in_strips(layer) ? 1 : grid(layer).rows, 1};
  }
  // The tensor on a layer's own grid that holds its input number `which`.
  [[nodiscard]] int input(int layer, int which) const {
    return inputs_[static_cast<std::size_t>(layer)][static_cast<std::size_t>(which)];
  }
  // The tensor of a layer's output (an image or a column per sample).
  int add_value(int layer, Partition rows, bool whole);

  // ---- layers in strips (plan_strips.cpp)
  // Cuts a tensor's images into the strips of a layer's grid.
  void cut(TensorPlan& tensor, Shape image, int layer) const;
  // The lines of its input that a layer's windows see: a tensor of their own, made for it, or the input itself.
  int extended_input(int index);
  [[nodiscard]] bool extended(int index) const { return seen_[static_cast<std::size_t>(index)] != input(index, 0); }
  void halo(int index, HaloStep::Stage stage, bool gradient, int own, int extended);
  void convolution_forward_in_strips(int index, TensorRef parameters, TensorRef out);
  void pool_backward_in_strips(int index);
  // The gradient of what a layer's products or windows read, and, once it is finished, of the layer's input.
  struct InputGradient {
    int seen = -1, own = -1;  // tensors, the same one but for an extended input
  };
  InputGradient start_input_gradient(int index);
  void send_halo_back(int index, const InputGradient& made);
  void finish_input_gradient(int index, const InputGradient& made);

  // ---- layers split by columns (plan_columns.cpp)
  void columns_forward(int index, int weights);
  void columns_backward(int index);
  // How the features that come out of a flatten are split over the grid's rows.
  [[nodiscard]] Partition flattened_rows(int index) const;
  // Of a value that such a layer put out, or that was made from one on the same grid: all its rows are everywhere
  // without a gather, and so must those of its gradient be.
  [[nodiscard]] bool replicated(int tensor) const { return replicated_[static_cast<std::size_t>(tensor)] != 0; }
  // The rows of a gradient, or of what a layer makes of it.
  [[nodiscard]] View gradient_rows(int of) const { return replicated(of) ? View::whole : View::own; }
  // Whether a join has an input that is replicated: then it joins all rows.
  [[nodiscard]] bool joins_replicated(int index);

  // ---- forward
  void forward_pass();
  // Of all rows, products of them and what follows a layer that has them all.
  [[nodiscard]] bool needs_whole_input(int index, int producer);
  void weighted_forward(int index);
  void normalise_forward(int index);
  void add_forward(int index);
  void local_forward(int index);  // one input, rows apart: ReLU, pooling, flatten, dropout
  void loss();
  // Finds or makes the tensors that a layer reads.
  void fetch_inputs(int index);
  // The same value on a layer's grid, whole or at least the rank's own rows.
  int on_grid_of(int index, int tensor, bool whole);
  // All rows of a value on every rank of a grid column.
  void gather(int tensor);
  // The rows of a value that a layer without weights works on: all if they are there, else the rank's own.
  [[nodiscard]] View rows_at_hand(int tensor) const {
    return gathered_[static_cast<std::size_t>(tensor)] ? View::whole : View::own;
  }
  // Whether a layer may overwrite its input: nobody else reads it, and its producer's backward pass does not either.
  [[nodiscard]] bool may_overwrite(int producer) const;

  // ---- backward
  void backward_pass();
  void backward(int index);
  void weighted_backward(int index);
  void normalise_backward(int index);
  void add_backward(int index);
  void local_backward(int index);
  void update(int index);
  int weight_gradient(int row);  // the tensor, made when first asked for
  int new_gradient(int of, bool whole);
  int& gradient(int tensor) { return gradients_[static_cast<std::size_t>(tensor)]; }
  [[nodiscard]] int readers(int gradient) const;
  // Adds `from` to the gradient of a value. `shared`: `from` must stay as it is, somebody reads it later.
  void accumulate(int tensor, int from, bool shared);
  // The layer with which adding to a value's gradient is counted.
  [[nodiscard]] int layer_of(int tensor) const;
  [[nodiscard]] char& complete(int tensor) { return complete_[static_cast<std::size_t>(tensor)]; }

  // A value that a layer on another grid reads: `to` holds it there, from layer `first_reader` on.
  struct Move {
    int from, to, first_reader;
  };
  void backward(const Move& move);

  Plan plan_;
  LayerStrategy first_;  // of the first layer with weights
  std::vector<Move> moves_;
  std::vector<int> seen_;  // by layer: what its products or windows read, its first input or that extended
  std::vector<std::vector<int>> inputs_;  // by layer: tensors on its own grid
  std::vector<int> values_;               // by layer + 1: the tensor it puts out
  std::vector<int> rows_;                 // by layer: the report row it is counted in
  std::vector<int> readers_;              // by layer + 1: how many layers take its output
  std::vector<char> read_whole_;          // by layer: whether anybody needs all rows of what it puts out
  std::vector<char> gathered_;            // by tensor
  std::vector<char> replicated_;          // by tensor
  std::vector<char> needs_gradient_;      // by tensor: it comes from something with weights
  std::vector<int> producer_rows_;        // by tensor: report row of the layer that made it
  std::vector<int> gradients_;            // by tensor: the gradient of a value, or -1
  std::vector<char> complete_;            // by tensor: gradients of which all rows are right, not only the rank's own
  std::vector<int> statistics_;           // by layer: of batch normalisation
  std::vector<int> weight_gradients_;     // by report row
};

}  // namespace simtrain
