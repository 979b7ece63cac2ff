#include "train/plan.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace simtrain {

std::string_view name_of(Gather gather) { return gather == Gather::after_pooling ? "after-pooling" : "before-pooling"; }

Gather parse_gather(std::string_view option, std::string_view text) {
  for (const Gather gather : {Gather::after_pooling, Gather::before_pooling})
    if (text == name_of(gather)) return gather;
  throw InputError(unknown_choice(option, text, {"after-pooling", "before-pooling"}));
}

namespace {

// Floats of one row of a tensor on a rank, by its coordinates on the tensor's grid.
std::int64_t row_length(const Plan& plan, const TensorPlan& tensor, Coordinates here) {
  return tensor.row_floats * tensor.lines(here) *
         (tensor.per_sample ? plan.samples(tensor.grid).length(here.column) : 1);
}

// Rows and columns of an operand as a matrix: rows x (floats per row).
struct Matrix {
  std::int64_t rows, columns;
  [[nodiscard]] std::int64_t floats() const { return rows * columns; }
};

// A rank's part of W, or of its gradient.
Matrix weights_part(const TensorPlan& tensor, Coordinates here) {
  if (tensor.by_columns()) return {tensor.rows.size(), tensor.columns.length(here.row)};
  return {tensor.rows.length(tensor.part(here)), tensor.weights_per_row()};
}

}  // namespace

std::int64_t Plan::floats(int tensor, Coordinates at) const {
  const TensorPlan& t = tensors[static_cast<std::size_t>(tensor)];
  const Coordinates here = on(t.grid, at);
  if (t.by_columns()) return weights_part(t, here).floats() + (t.biases ? t.rows.length(here.row) : 0);
  return (t.whole ? t.rows.size() : t.rows.length(t.part(here))) * row_length(*this, t, here);
}

Range Plan::range(TensorRef ref, Coordinates at) const {
  const TensorPlan& t = tensors[static_cast<std::size_t>(ref.tensor)];
  const Coordinates here = on(t.grid, at);
  const std::int64_t row = row_length(*this, t, here);
  const std::int64_t own = t.rows.length(t.part(here));
  switch (ref.view) {
    case View::own:
      if (t.by_columns()) return {0, floats(ref.tensor, at)};
      return {t.whole ? t.rows.offset(t.part(here)) * row : 0, own * row};
    case View::weights:
      return {0, weights_part(t, here).floats()};
    case View::biases:
      return {weights_part(t, here).floats(), own};
    case View::normalisation:
      return {own * (row - 2), 2 * own};
    case View::whole:
      return {0, floats(ref.tensor, at)};
    case View::none:
      break;
  }
  return {};
}

namespace {

Matrix matrix(const Plan& plan, TensorRef ref, Coordinates at) {
  const TensorPlan& t = plan.tensors[static_cast<std::size_t>(ref.tensor)];
  const Coordinates here = plan.on(t.grid, at);
  if (t.role == Role::weights || t.role == Role::weight_gradient) return weights_part(t, here);
  return {ref.view == View::whole ? t.rows.size() : t.rows.length(t.part(here)), row_length(plan, t, here)};
}

// The rows that a layer's windows work on: all, or those of a strip.
struct WindowRows {
  std::int64_t in, out, shift;  // as ConvolutionGeometry has them
  Lines interior;               // of the outputs
};

// `seen`: the operand that is the layer's input or its gradient.
WindowRows window_rows(const Plan& plan, const ComputeStep& step, std::size_t seen, Coordinates here) {
  const Layer& layer = plan.network.layers[static_cast<std::size_t>(step.layer)];
  if (!plan.in_strips(step.layer)) return {layer.in.height, layer.out.height, 0, {0, layer.out.height}};
  const Strips& strips = plan.tensors[static_cast<std::size_t>(step.operands[seen].tensor)].strips;
  const Partition outputs{layer.out.height, strips.count()};
  const Strips windows{layer.in.height, outputs, layer.kernel, layer.stride, layer.padding};
  const Strips image{layer.in.height, {layer.in.height, strips.count()}};
  const Lines in = strips.of(here.row);
  return {in.count, outputs.length(here.row), outputs.offset(here.row) * layer.stride - in.first,
          interior_of(windows, image, here.row)};
}

Pooling pooling(const Layer& layer, PoolingPass pass, std::int64_t planes, const WindowRows& rows) {
  const PoolingKind kind = layer.type == LayerType::max_pool ? PoolingKind::max : PoolingKind::average;
  return {kind,         pass,         planes,        rows.in,   layer.in.width, rows.out, layer.out.width,
          layer.kernel, layer.stride, layer.padding, rows.shift};
}

// Those of its outputs that a forward action computes.
Lines computed_rows(Action action, const WindowRows& rows) {
  if (action == Action::convolution_interior) return rows.interior;
  if (action == Action::convolution_above) return {0, rows.interior.first};
  return {rows.interior.end(), rows.out - rows.interior.end()};
}

Dropout dropout(const Plan& plan, const ComputeStep& step, Coordinates at) {
  const TensorRef ref = step.operands[0];
  const TensorPlan& t = plan.tensors[static_cast<std::size_t>(ref.tensor)];
  const Layer& layer = plan.network.layers[static_cast<std::size_t>(step.layer)];
  const Coordinates here = plan.on(t.grid, at);
  const Partition samples = plan.samples(t.grid);
  const std::int64_t first_row = ref.view == View::whole ? 0 : t.rows.offset(t.part(here));
  const std::int64_t row_features = t.row_floats * (t.in_strips() ? t.strips.height : 1);
  const std::int64_t first_line = t.in_strips() ? t.strips.of(here.row).first : 0;
  return {matrix(plan, ref, at).rows,
          samples.length(here.column),
          t.row_floats * t.lines(here),
          first_row * row_features + first_line * t.row_floats,
          samples.offset(here.column),
          static_cast<float>(layer.probability),
          plan.options.seed,
          step.layer,
          0,
          row_features};
}

}  // namespace

Operation Plan::operation(const ComputeStep& step, Coordinates at) const {
  const Layer& layer = network.layers[static_cast<std::size_t>(step.layer)];
  const Grid grid = grid_of(step);
  const Coordinates here = on(grid, at);
  const std::int64_t columns = samples(grid).length(here.column);
  const auto shape = [&](std::size_t operand) { return matrix(*this, step.operands[operand], at); };
  const auto convolution = [&](ConvolutionPass pass, std::size_t seen) {
    const int part = in_strips(step.layer) ? 0 : here.row;
    const Partition filters{layer.out.channels, in_strips(step.layer) ? 1 : grid.rows};
    const WindowRows rows = window_rows(*this, step, seen, here);
    Convolution op{pass, layer.geometry(), filters.offset(part), filters.length(part), columns};
    op.geometry.in_height = rows.in;
    op.geometry.out_height = rows.out;
    op.geometry.row_shift = rows.shift;
    if (pass == ConvolutionPass::forward && step.action != Action::convolution_forward) {
      const Lines computed = computed_rows(step.action, rows);
      op.first_row = computed.first;
      op.rows = computed.count;
    }
    return op;
  };
  switch (step.action) {
    // Split by columns, in brackets: all d_out rows of W(:,r), and d_in/Pr rows of X(r) and dX(r).
    case Action::linear_forward:  // W(r), X: (d_out/Pr x d_in) (d_in x B/Pc)
      return MatrixProduct{Transposition::nn, shape(0).rows, columns, shape(0).columns};
    case Action::linear_data_gradient:  // W(r)^T, dY(r): (d_in x d_out/Pr) (d_out/Pr x B/Pc)
      return MatrixProduct{Transposition::tn, shape(0).columns, columns, shape(0).rows};
    case Action::linear_weight_gradient:  // dY(r), X^T: (d_out/Pr x B/Pc) (B/Pc x d_in)
      return MatrixProduct{Transposition::nt, shape(0).rows, shape(1).rows, columns};
    case Action::convolution_forward:
    case Action::convolution_interior:
    case Action::convolution_above:
    case Action::convolution_below:
      return convolution(ConvolutionPass::forward, 0);
    case Action::convolution_data_gradient:
      return convolution(ConvolutionPass::data_gradient, 2);
    case Action::convolution_weight_gradient:
      return convolution(ConvolutionPass::weight_gradient, 1);
    case Action::bias_forward:
      return BiasForward{shape(1).rows, shape(1).columns};
    case Action::bias_gradient:
      return BiasGradient{shape(0).rows, shape(0).columns};
    case Action::normalise:
      return BatchNormalisation{NormalisationPass::forward, shape(0).rows, shape(0).columns};
    case Action::normalise_gradient:
      return BatchNormalisation{NormalisationPass::gradient, shape(0).rows, shape(0).columns};
    case Action::dropout:
      return dropout(*this, step, at);
    case Action::add:
      return ElementwiseOp{Elementwise::add, range(step.operands[0], at).count};
    case Action::copy:  // flattening one sample of one channel changes nothing
      return Flatten{FlattenDirection::forward, 1, 1, range(step.operands[0], at).count};
    case Action::relu:
      return ElementwiseOp{Elementwise::relu, range(step.operands[0], at).count};
    case Action::relu_gradient:
      return ElementwiseOp{Elementwise::relu_gradient, range(step.operands[0], at).count};
    case Action::pool:
      return pooling(layer, PoolingPass::forward, shape(0).rows * columns, window_rows(*this, step, 0, here));
    case Action::pool_gradient:
      return pooling(layer, PoolingPass::gradient, shape(1).rows * columns, window_rows(*this, step, 1, here));
    case Action::flatten:
      return Flatten{FlattenDirection::forward, shape(0).rows, columns, layer.in.pixels()};
    case Action::flatten_gradient:
      return Flatten{FlattenDirection::gradient, shape(1).rows, columns, layer.in.pixels()};
    case Action::loss:
      return SoftmaxLoss{network.classes(), columns, options.batch};
    case Action::update:
      return Update{range(step.operands[0], at).count, options.learning_rate, options.momentum, options.weight_decay};
  }
  SIMTRAIN_INVARIANT(false, "unknown action");
}

Partition Plan::blocks(const CollectiveStep& step, Coordinates at) const {
  if (step.operation == CollectiveOp::all_gather) {
    const TensorPlan& t = tensors[static_cast<std::size_t>(step.tensor)];
    return t.rows.scaled(row_length(*this, t, on(t.grid, at)));
  }
  if (step.bucket < 0) return {floats(step.tensor, at), group(step, at).size};
  std::int64_t all = 0;
  for (const int tensor : buckets[static_cast<std::size_t>(step.bucket)].tensors) all += floats(tensor, at);
  return {all, group(step, at).size};
}

bool Plan::serves(const CollectiveStep& step, int row) const {
  if (step.bucket < 0) return step.row == row;
  const std::vector<int>& rows = buckets[static_cast<std::size_t>(step.bucket)].rows;
  return std::find(rows.begin(), rows.end(), row) != rows.end();
}

Group Plan::group(const CollectiveStep& step, Coordinates at) const {
  const Grid grid = grid_of(step.tensor);
  return step.over_grid_column() ? column_group(grid, on(grid, at)) : row_group(grid, on(grid, at));
}

Redistribution Plan::redistribution(const RedistributeStep& step) const {
  const TensorPlan& from = tensors[static_cast<std::size_t>(step.from)];
  const TensorPlan& to = tensors[static_cast<std::size_t>(step.to)];
  Redistribution array{
      .from =
          {.grid = from.grid, .rows = from.rows, .whole = step.from_whole, .stored = from.whole, .strips = from.strips},
      .to = {.grid = to.grid, .rows = to.rows, .whole = step.to_whole, .stored = to.whole, .strips = to.strips},
      .batch = options.batch,
      .line_floats = from.row_floats};
  if (const TensorPlan& cut = from.in_strips() ? from : to; cut.in_strips()) {
    array.line_floats = cut.row_floats;
    array.lines = cut.strips.height;
  }
  return array;
}

Halo Plan::halo(const HaloStep& step) const {
  return {
      redistribution({.row = step.row, .from = step.own, .to = step.extended, .from_whole = false, .to_whole = false}),
      step.gradient};
}

std::vector<Grid> Plan::grids() const {
  std::vector<Grid> grids{options.grid};
  const auto add = [&](Grid grid) {
    if (std::find(grids.begin(), grids.end(), grid) == grids.end()) grids.push_back(grid);
  };
  for (int layer = 0; layer < static_cast<int>(strategies.size()); ++layer) {
    add(strategies[static_cast<std::size_t>(layer)].grid);
    add(weights_grid(layer));
  }
  return grids;
}

bool Plan::uses(Algorithm algorithm) const {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto* collective = std::get_if<CollectiveStep>(&step);
    return collective != nullptr && collective->algorithm == algorithm;
  });
}

}  // namespace simtrain
