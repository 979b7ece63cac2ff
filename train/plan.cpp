#include "train/plan.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "base/error.hpp"

namespace simtrain {

std::string_view name_of(Gather gather) { return gather == Gather::after_pooling ? "after-pooling" : "before-pooling"; }

Gather parse_gather(std::string_view option, std::string_view text) {
  for (const Gather gather : {Gather::after_pooling, Gather::before_pooling})
    if (text == name_of(gather)) return gather;
  throw InputError(unknown_choice(option, text, {"after-pooling", "before-pooling"}));
}

namespace {

// Floats of one row of a tensor on the ranks of a grid column.
std::int64_t row_length(const Plan& plan, const TensorPlan& tensor, Coordinates at) {
  return tensor.row_floats * (tensor.per_sample ? plan.samples.length(at.column) : 1);
}

}  // namespace

std::int64_t Plan::floats(int tensor, Coordinates at) const {
  const TensorPlan& t = tensors[static_cast<std::size_t>(tensor)];
  return (t.whole ? t.rows.size() : t.rows.length(at.row)) * row_length(*this, t, at);
}

Range Plan::range(TensorRef ref, Coordinates at) const {
  const TensorPlan& t = tensors[static_cast<std::size_t>(ref.tensor)];
  const std::int64_t row = row_length(*this, t, at);
  const std::int64_t own = t.rows.length(at.row);
  switch (ref.view) {
    case View::own:
      return {t.whole ? t.rows.offset(at.row) * row : 0, own * row};
    case View::weights:
      return {0, own * t.weights_per_row()};
    case View::biases:
      return {own * t.weights_per_row(), own};
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

// Rows and columns of an operand as a matrix: rows x (floats per row).
struct Matrix {
  std::int64_t rows, columns;
};

Matrix matrix(const Plan& plan, TensorRef ref, Coordinates at) {
  const TensorPlan& t = plan.tensors[static_cast<std::size_t>(ref.tensor)];
  const std::int64_t rows = ref.view == View::whole ? t.rows.size() : t.rows.length(at.row);
  return {rows,
          t.role == Role::weights || t.role == Role::weight_gradient ? t.weights_per_row() : row_length(plan, t, at)};
}

Pooling pooling(const Layer& layer, PoolingPass pass, std::int64_t planes) {
  const PoolingKind kind = layer.type == LayerType::max_pool ? PoolingKind::max : PoolingKind::average;
  return {kind,         pass,         planes,       layer.in.height, layer.in.width, layer.out.height, layer.out.width,
          layer.kernel, layer.stride, layer.padding};
}

}  // namespace

namespace {

Dropout dropout(const Plan& plan, const ComputeStep& step, Coordinates at) {
  const TensorRef ref = step.operands[0];
  const TensorPlan& t = plan.tensors[static_cast<std::size_t>(ref.tensor)];
  const Layer& layer = plan.network.layers[static_cast<std::size_t>(step.layer)];
  const std::int64_t first_row = ref.view == View::whole ? 0 : t.rows.offset(at.row);
  return {matrix(plan, ref, at).rows,
          plan.samples.length(at.column),
          t.row_floats,
          first_row * t.row_floats,
          plan.samples.offset(at.column),
          static_cast<float>(layer.probability),
          plan.options.seed,
          step.layer,
          0};
}

}  // namespace

Operation Plan::operation(const ComputeStep& step, Coordinates at) const {
  const Layer& layer = network.layers[static_cast<std::size_t>(step.layer)];
  const std::int64_t columns = samples.length(at.column);
  const Partition filters{layer.out.channels, options.grid.rows};
  const auto shape = [&](std::size_t operand) { return matrix(*this, step.operands[operand], at); };
  const auto convolution = [&](ConvolutionPass pass) {
    return Convolution{pass, layer.geometry(), filters.offset(at.row), filters.length(at.row), columns};
  };
  switch (step.action) {
    case Action::linear_forward:  // W(r), X: (d_out/Pr x d_in) (d_in x B/Pc)
      return MatrixProduct{Transposition::nn, shape(0).rows, columns, shape(0).columns};
    case Action::linear_data_gradient:  // W(r)^T, dY(r): (d_in x d_out/Pr) (d_out/Pr x B/Pc)
      return MatrixProduct{Transposition::tn, shape(0).columns, columns, shape(0).rows};
    case Action::linear_weight_gradient:  // dY(r), X^T: (d_out/Pr x B/Pc) (B/Pc x d_in)
      return MatrixProduct{Transposition::nt, shape(0).rows, shape(1).rows, columns};
    case Action::convolution_forward:
      return convolution(ConvolutionPass::forward);
    case Action::convolution_data_gradient:
      return convolution(ConvolutionPass::data_gradient);
    case Action::convolution_weight_gradient:
      return convolution(ConvolutionPass::weight_gradient);
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
      return pooling(layer, PoolingPass::forward, shape(0).rows * columns);
    case Action::pool_gradient:
      return pooling(layer, PoolingPass::gradient, shape(1).rows * columns);
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
    return t.rows.scaled(row_length(*this, t, at));
  }
  return {floats(step.tensor, at), group(step, at).size};
}

Group Plan::group(const CollectiveStep& step, Coordinates at) const {
  return step.over_grid_column() ? column_group(options.grid, at) : row_group(options.grid, at);
}

bool Plan::uses(Algorithm algorithm) const {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto* collective = std::get_if<CollectiveStep>(&step);
    return collective != nullptr && collective->algorithm == algorithm;
  });
}

ScratchFloats scratch_of(const Plan& plan, Coordinates at) {
  ScratchFloats scratch;
  for (const Step& step : plan.steps) {
    if (const auto* compute = std::get_if<ComputeStep>(&step)) {
      scratch.workspace = std::max(scratch.workspace, workspace_floats(plan.operation(*compute, at)));
    } else {
      const auto& collective = std::get<CollectiveStep>(step);
      scratch.reduction =
          std::max(scratch.reduction, scratch_floats(collective.operation, collective.algorithm,
                                                     plan.blocks(collective, at), plan.group(collective, at).me));
    }
  }
  return scratch;
}

MemoryUse memory_of(const Plan& plan, Coordinates at) {
  MemoryUse use;
  std::vector<double> slots(static_cast<std::size_t>(plan.slots));
  for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
    const TensorPlan& tensor = plan.tensors[i];
    const double bytes = sizeof(float) * static_cast<double>(plan.floats(static_cast<int>(i), at));
    if (tensor.slot >= 0) {
      double& slot = slots[static_cast<std::size_t>(tensor.slot)];
      slot = std::max(slot, bytes);
      continue;
    }
    switch (tensor.role) {
      case Role::weights:
        use.weights += bytes;
        break;
      case Role::weight_gradient:
        use.gradients += bytes;
        break;
      case Role::momentum:
        use.momentum += bytes;
        break;
      default:
        use.activations += bytes;
    }
  }
  const ScratchFloats scratch = scratch_of(plan, at);
  use.buffers = std::accumulate(slots.begin(), slots.end(), 0.0) +
                sizeof(float) * static_cast<double>(scratch.workspace + scratch.reduction);
  return use;
}

namespace {

// The additions of a reducing collective, by the lengths that member `me` receives.
void visit_additions(const Plan& plan, const CollectiveStep& step, Coordinates at,
                     const std::function<void(const Call&, std::int64_t)>& visit) {
  if (step.operation == CollectiveOp::all_gather || step.algorithm == Algorithm::mpi) return;
  const Group group = plan.group(step, at);
  const Partition blocks = plan.blocks(step, at);
  const int rounds = round_count(step.algorithm, step.operation, group.size);
  for (int i = 0; i < rounds; ++i) {
    const Round round = round_of(step.algorithm, step.operation, blocks, group.me, i);
    if (!round.reduce) continue;
    for (const Segment& segment : round.receive.part)
      if (segment.count > 0) for_each_call(ElementwiseOp{Elementwise::add, segment.count}, visit);
  }
}

}  // namespace

void check_trainable(const Plan& plan) {
  if (plan.options.grid.columns == 1) return;
  for (const Layer& layer : plan.network.layers)
    if (layer.type == LayerType::batch_norm)
      throw InputError(
          "network '" + plan.network.name + "', layer '" + layer.name + "': batch normalisation over a batch " +
          "that is split over Pc = " + std::to_string(plan.options.grid.columns) +
          " grid columns cannot be trained with real numbers, only predicted; expected a grid with Pc = 1");
}

std::vector<Call> calls_of(const Plan& plan) {
  std::unordered_set<Call, CallHash> seen;
  std::vector<Call> calls;
  const auto collect = [&](const Call& call, std::int64_t) {
    if (seen.insert(call).second) calls.push_back(call);
  };
  // All rows, since filters of one row may straddle groups; of the columns the first and the last differ at most.
  const Grid grid = plan.options.grid;
  for (int row = 0; row < grid.rows; ++row)
    for (const int column : {0, grid.columns - 1})
      for (const Step& step : plan.steps) {
        const auto* compute = std::get_if<ComputeStep>(&step);
        if (compute != nullptr)
          for_each_call(plan.operation(*compute, {row, column}), collect);
        else if (row == 0 || row == grid.rows - 1)
          visit_additions(plan, std::get<CollectiveStep>(step), {row, column}, collect);
      }
  return calls;
}

}  // namespace simtrain
