// What ranks need for a plan: memory, scratch, kernel calls.
#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "base/error.hpp"
#include "train/plan.hpp"

namespace simtrain {

ScratchFloats scratch_of(const Plan& plan, Coordinates at) {
  ScratchFloats scratch;
  for (const Step& step : plan.steps) {
    if (const auto* compute = std::get_if<ComputeStep>(&step)) {
      scratch.workspace = std::max(scratch.workspace, workspace_floats(plan.operation(*compute, at)));
    } else if (const auto* collective = std::get_if<CollectiveStep>(&step)) {
      std::int64_t& floats = collective->course == Course::background ? scratch.background : scratch.exchange;
      floats = std::max(floats, scratch_floats(collective->operation, collective->algorithm,
                                               plan.blocks(*collective, at), plan.group(*collective, at).me));
    } else if (const auto* redistribute = std::get_if<RedistributeStep>(&step)) {
      const Redistribution moved = plan.redistribution(*redistribute);
      scratch.exchange = std::max(scratch.exchange, scratch_floats(moved, plan.options.grid.rank(at)));
    } else if (const auto* halo = std::get_if<HaloStep>(&step)) {
      scratch.exchange = std::max(scratch.exchange, scratch_floats(plan.halo(*halo), plan.options.grid.rank(at)));
    }
  }
  return scratch;
}

double messages_of(const Plan& plan) {
  double messages = 0;
  for (const Step& step : plan.steps) {
    if (const auto* moved = std::get_if<RedistributeStep>(&step))
      messages += static_cast<double>(count_messages(plan.redistribution(*moved)));
    if (const auto* halo = std::get_if<HaloStep>(&step); halo != nullptr && halo->stage == HaloStep::Stage::begin)
      messages += static_cast<double>(count_messages(plan.halo(*halo).array));
    const auto* collective = std::get_if<CollectiveStep>(&step);
    if (collective == nullptr || collective->algorithm == Algorithm::mpi) continue;
    const int rounds = round_count(collective->algorithm, collective->operation, plan.group(*collective, {}).size);
    messages += static_cast<double>(plan.options.grid.size()) * rounds;
  }
  return messages;
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
                sizeof(float) * static_cast<double>(scratch.workspace + scratch.exchange + scratch.background);
  return use;
}

// The first rank has the largest blocks, but of images in strips, where those in the middle have two neighbours.
MemoryUse largest_memory_of(const Plan& plan) {
  MemoryUse most = memory_of(plan, {});
  Grid looked_at{1, 1};
  for (const LayerStrategy& layer : plan.strategies) {
    if (layer.kind != LayerKind::domain || layer.grid == looked_at) continue;
    looked_at = layer.grid;
    for (int rank = 1; rank < looked_at.rows; ++rank)  // of the first column, which has the most samples
      if (const MemoryUse use = memory_of(plan, plan.options.grid.coordinates(rank)); use.total() > most.total())
        most = use;
  }
  return most;
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

// The copies of a redistribution on one rank: what it keeps, and what goes packed.
void visit_copies(const Redistribution& moved, int rank, const std::function<void(const Call&, std::int64_t)>& visit) {
  const auto copy = [&](const StoredBlock& from, const StoredBlock& to) {
    for_each_call(copy_between(from, to), visit);
  };
  const auto packed_copy = [&](const Redistribution::Side& side, const ArrayBlock& block) {
    const StoredBlock stored = stored_block(moved, side, rank, block);
    if (!stored.contiguous()) copy(stored, packed(stored));
  };
  const ArrayBlock kept = kept_block(moved, rank);
  copy(stored_block(moved, moved.from, rank, kept), stored_block(moved, moved.to, rank, kept));
  for (int round = next_round(moved, rank, 0); round < moved.ranks(); round = next_round(moved, rank, round)) {
    const Transfer transfer = transfer_of(moved, rank, round);
    packed_copy(moved.from, transfer.send);
    packed_copy(moved.to, transfer.receive);
  }
}

}  // namespace

void check_trainable(const Plan& plan) {
  for (std::size_t i = 0; i < plan.strategies.size(); ++i) {
    const Layer& layer = plan.network.layers[i];
    const int columns = plan.strategies[i].grid.columns;
    if (layer.type == LayerType::batch_norm && plan.in_strips(static_cast<int>(i)))
      throw InputError("network '" + plan.network.name + "', layer '" + layer.name +
                       "': batch normalisation over images that are cut into " +
                       std::to_string(plan.strategies[i].grid.rows) +
                       " strips cannot be trained with real numbers, only predicted; expected a grid with Pc = 1");
    if (layer.type == LayerType::batch_norm && columns > 1)
      throw InputError(
          "network '" + plan.network.name + "', layer '" + layer.name +
          "': batch normalisation over a batch that is split over Pc = " + std::to_string(columns) +
          " grid columns cannot be trained with real numbers, only predicted; expected a grid with Pc = 1");
  }
}

std::vector<Call> calls_of(const Plan& plan) {
  std::unordered_set<Call, CallHash> seen;
  std::vector<Call> calls;
  const auto collect = [&](const Call& call, std::int64_t) {
    if (seen.insert(call).second) calls.push_back(call);
  };
  // All rows, since filters of one row may straddle groups; of the columns the first and the last differ at most.
  for (const Grid grid : plan.grids())
    for (int row = 0; row < grid.rows; ++row)
      for (const int column : {0, grid.columns - 1})
        for (const Step& step : plan.steps) {
          const Coordinates at = plan.options.grid.coordinates(grid.rank({row, column}));
          const auto* compute = std::get_if<ComputeStep>(&step);
          const auto* collective = std::get_if<CollectiveStep>(&step);
          if (compute != nullptr && plan.grid_of(*compute) == grid)
            for_each_call(plan.operation(*compute, at), collect);
          else if (collective != nullptr && plan.grid_of(collective->tensor) == grid &&
                   (row == 0 || row == grid.rows - 1))
            visit_additions(plan, *collective, at, collect);
        }
  for (const Step& step : plan.steps)
    if (const auto* redistribute = std::get_if<RedistributeStep>(&step)) {
      for (int rank = 0; rank < static_cast<int>(plan.options.grid.size()); ++rank)
        visit_copies(plan.redistribution(*redistribute), rank, collect);
    } else if (const auto* halo = std::get_if<HaloStep>(&step)) {
      const Grid grid = plan.grid_of(halo->own);
      for (int row = 0; row < grid.rows; ++row)
        for (const int column : {0, grid.columns - 1})
          for_each_operation(plan.halo(*halo), grid.rank({row, column}),
                             [&](const Operation& operation) { for_each_call(operation, collect); });
    }
  return calls;
}

}  // namespace simtrain
