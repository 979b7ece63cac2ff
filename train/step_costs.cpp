#include "train/step_costs.hpp"

#include <algorithm>
#include <numeric>

namespace simtrain {

// The clocks of the few ranks that are looked at. They are aligned where a layer begins, and count from there.
class StepWalk {
 public:
  StepWalk(const Plan& plan, StepCosts& costs) : plan_(plan), costs_(costs) {}

  std::vector<double> seconds() {
    std::vector<double> seconds;
    seconds.reserve(plan_.steps.size());
    for (const Step& step : plan_.steps)
      seconds.push_back(std::visit([this](const auto& one) { return take(one); }, step));
    return seconds;
  }

 private:
  static constexpr int kNone = -2, kNext = -3;  // layers: none, whichever computes next

  double take(const ComputeStep& step) {
    if (layer_ != kNext && layer_ != step.layer) align();
    if (layer_ != step.layer) ranks_ = looked_at(step);
    clocks_.resize(ranks_.size());
    layer_ = step.layer;
    const double before = latest();
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      clocks_[i] += costs_.prices_.price(plan_.operation(step, plan_.options.grid.coordinates(ranks_[i]))).seconds;
    return latest() - before;
  }

  double take(const CollectiveStep& step) {
    align();
    const Partition blocks = plan_.blocks(step, {});
    return costs_.collective_s(step.operation, schedule_of(step, blocks), blocks);
  }

  double take(const RedistributeStep& step) {
    align();
    return costs_.redistribution_s(plan_.redistribution(step));
  }

  double take(const HaloStep& step) {
    const bool begins = step.stage == HaloStep::Stage::begin;
    if (begins) {
      align();
      layer_ = kNext;
      halo_ = &costs_.halo(plan_.halo(step));
      clocks_ = halo_->begun;
      return latest();
    }
    const double before = latest();
    for (std::size_t i = 0; i < clocks_.size(); ++i)
      clocks_[i] = std::max(clocks_[i], halo_->through[i]) + halo_->unpacked[i];
    return latest() - before;
  }

  double take(const WaitStep& /*step*/) { return 0; }

  // In the first column of the layer's grid, which has the most samples: all strips; or the first rank, which has the
  // most rows, the first that has fewer, for which kernels may be slower, and those whose filters are of several
  // groups.
  [[nodiscard]] std::vector<int> looked_at(const ComputeStep& step) const {
    const Grid grid = plan_.grid_of(step);
    if (plan_.in_strips(step.layer)) {
      std::vector<int> strips(static_cast<std::size_t>(grid.rows));
      std::iota(strips.begin(), strips.end(), 0);
      return strips;
    }
    const Layer& layer = plan_.network.layers[static_cast<std::size_t>(step.layer)];
    const Partition rows{layer.out.channels, grid.rows};
    std::vector<int> ranks{0};
    if (const auto shorter = static_cast<int>(rows.total % rows.parts); shorter > 0) ranks.push_back(shorter);
    constexpr std::int64_t kMostGroups = 8;  // the others are alike
    for (std::int64_t group = 1; group < std::min(layer.groups, kMostGroups); ++group) {
      const std::int64_t first = group * (rows.total / layer.groups), rank = rows.part_of(first);
      if (rows.offset(rank) != first && ranks.back() != rank) ranks.push_back(static_cast<int>(rank));
    }
    return ranks;
  }

  void align() {
    clocks_.clear();
    layer_ = kNone;
  }
  [[nodiscard]] double latest() const {
    return clocks_.empty() ? 0.0 : *std::max_element(clocks_.begin(), clocks_.end());
  }

  const Plan& plan_;
  StepCosts& costs_;
  std::vector<int> ranks_;  // of the layer
  std::vector<double> clocks_;
  int layer_ = kNone;
  const StepCosts::HaloCost* halo_ = nullptr;
};

std::vector<double> StepCosts::of(const Plan& plan) { return StepWalk(plan, *this).seconds(); }

// The first member has the largest block, and of a pair that acts as one it is the one that acts. In a ring nobody is
// through before the largest block has been everywhere, which takes as many rounds as there are.
double StepCosts::collective_s(CollectiveOp operation, Algorithm algorithm, const Partition& blocks) {
  const CollectiveKey key{static_cast<int>(operation), static_cast<int>(algorithm), blocks.total, blocks.parts,
                          blocks.unit};
  const auto known = collectives_.find(key);
  if (known != collectives_.end()) return known->second;
  double seconds = 0;
  const int rounds = round_count(algorithm, operation, static_cast<int>(blocks.parts));
  for (int i = 0; i < rounds; ++i) {
    Round round = round_of(algorithm, operation, blocks, 0, i);
    if (algorithm == Algorithm::ring)
      round = {.send_to = 1, .receive = {{{{0, blocks.length(0)}, {}}}}, .reduce = round.reduce};
    if (round.send_to >= 0 || round.receive_from >= 0)
      seconds = message_end(seconds, seconds, std::max(round.send.count(), round.receive.count()), network_);
    if (!round.reduce) continue;
    for (const Segment& segment : round.receive.part)
      if (segment.count > 0) seconds += exchange_.addition_s(segment.count);
  }
  return collectives_[key] = seconds;
}

namespace {

// As long as the messages are so few, all are looked at.
constexpr std::int64_t kMostMessages = 4000;

// The first blocks of ranks that talk among themselves: where columns of either grid end. Two of them, since in one
// alone a rank would send and receive at once what it otherwise does in rounds far apart. The samples are as many as on
// as many ranks anywhere: exact where they are cut evenly.
Redistribution first_blocks(const Redistribution& array) {
  const auto block = std::lcm<std::int64_t>(array.from.grid.rows, array.to.grid.rows);
  std::int64_t ranks = block;
  const std::int64_t blocks = array.ranks() / block;
  for (std::int64_t count = 2; count <= blocks && ranks == block; ++count)
    if (blocks % count == 0) ranks = count * block;
  Redistribution first = array;
  first.batch = (array.batch * ranks + array.ranks() - 1) / array.ranks();
  for (Redistribution::Side* side : {&first.from, &first.to})
    side->grid.columns = static_cast<int>(ranks / side->grid.rows);
  return first;
}

}  // namespace

double StepCosts::redistribution_s(const Redistribution& array) {
  const ArrayKey key = key_of(array, false);
  const auto known = redistributions_.find(key);
  if (known != redistributions_.end()) return known->second;
  const bool few = array.ranks() <= kMostMessages / 16 && count_messages(array) <= kMostMessages;
  const Redistribution first = few ? array : first_blocks(array);
  double seconds = 0;
  if (few || (first.ranks() <= kMostMessages && count_messages(first) <= kMostMessages)) {
    std::vector<double> clocks(static_cast<std::size_t>(first.ranks()), 0.0);
    advance_clocks(first, network_, exchange_.of_halo().copy_s, clocks);
    seconds = *std::max_element(clocks.begin(), clocks.end());
  } else {
    const int last = std::lcm(array.from.grid.rows, array.to.grid.rows) - 1;  // of its block
    seconds = std::max(walked_s(array, 0), walked_s(array, last));
  }
  return redistributions_[key] = seconds;
}

// Its rounds one after the other, with what its peers pack before and unpack after each of them.
double StepCosts::walked_s(const Redistribution& array, int me) {
  const auto packing_s = [&](const Redistribution::Side& side, int rank, const ArrayBlock& block) {
    const bool as_it_is = block.empty() || stored_block(array, side, rank, block).contiguous();
    return as_it_is ? 0.0 : exchange_.copy_s(array.floats(block));
  };
  double seconds = 0;
  if (const ArrayBlock kept = kept_block(array, me); !kept.empty()) seconds += exchange_.copy_s(array.floats(kept));
  for (int round = next_round(array, me, 0); round < array.ranks(); round = next_round(array, me, round)) {
    const auto [to, from, send, receive] = transfer_of(array, me, round);
    seconds += std::max(packing_s(array.from, me, send), packing_s(array.from, from, receive));
    seconds = message_end(seconds, seconds, std::max(array.floats(send), array.floats(receive)), network_);
    seconds += std::max(packing_s(array.to, to, send), packing_s(array.to, me, receive));
  }
  return seconds;
}

// All grid columns do alike: of the first one, on a grid of its own.
const StepCosts::HaloCost& StepCosts::halo(const Halo& whole) {
  const ArrayKey key = key_of(whole.array, whole.gradient);
  const auto known = halos_.find(key);
  if (known != halos_.end()) return known->second;
  Halo halo = whole;
  Redistribution& array = halo.array;
  array.batch = Partition{array.batch, array.from.grid.columns}.length(0);
  array.from.grid.columns = array.to.grid.columns = 1;
  const HaloPrices prices = exchange_.of_halo();
  HaloCost cost;
  cost.begun.assign(static_cast<std::size_t>(array.from.grid.rows), 0.0);
  cost.unpacked = cost.begun;
  cost.through = begin_halo(halo, network_, prices, cost.begun);
  end_halo(halo, prices, /*through=*/std::vector<double>(cost.unpacked.size()), cost.unpacked);
  return halos_[key] = cost;
}

StepCosts::ArrayKey StepCosts::key_of(const Redistribution& array, bool gradient) {
  ArrayKey key{};
  std::size_t next = 0;
  const auto add = [&](std::int64_t value) { key[next++] = value; };
  const auto add_partition = [&](const Partition& cut) {
    for (const std::int64_t value : {cut.total, cut.parts, cut.unit}) add(value);
  };
  for (const Redistribution::Side* side : {&array.from, &array.to}) {
    add(side->grid.rows);
    add(side->grid.columns);
    add_partition(side->rows);
    add(side->whole ? 1 : 0);
    add(side->stored ? 1 : 0);
    add(side->strips.height);
    add_partition(side->strips.outputs);
    add(side->strips.window);
    add(side->strips.stride);
    add(side->strips.padding);
  }
  for (const std::int64_t value : {array.batch, array.line_floats, array.lines, std::int64_t{gradient}}) add(value);
  return key;
}

}  // namespace simtrain
