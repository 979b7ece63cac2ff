#include "train/cost.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "train/exchange_prices.hpp"

namespace simtrain {

double message_end(double ready_a, double ready_b, std::int64_t floats, AlphaBeta network) {
  return std::max(ready_a, ready_b) + network.latency_s +
         sizeof(float) * static_cast<double>(floats) * network.seconds_per_byte;
}

void advance_clocks(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, AlphaBeta network,
                    const std::function<double(std::int64_t)>& addition_s, std::vector<double>& clocks) {
  const int members = static_cast<int>(clocks.size());
  const int rounds = round_count(algorithm, operation, members);
  std::vector<double> next(clocks.size());
  // Members of a ring who start together and have blocks of one length stay together: one of them stands for all.
  const bool alike = algorithm == Algorithm::ring && blocks.length(0) == blocks.length(blocks.parts - 1) &&
                     std::adjacent_find(clocks.begin(), clocks.end(), std::not_equal_to<>()) == clocks.end();
  for (int i = 0; i < rounds; ++i) {
    for (int me = 0; me < (alike ? 1 : members); ++me) {
      const Round round = round_of(algorithm, operation, blocks, me, i);
      const double ready = clocks[static_cast<std::size_t>(me)];
      double end = ready;
      if (round.send_to >= 0)
        end = message_end(ready, clocks[static_cast<std::size_t>(round.send_to)], round.send.count(), network);
      if (round.receive_from >= 0)
        end = std::max(end, message_end(ready, clocks[static_cast<std::size_t>(round.receive_from)],
                                        round.receive.count(), network));
      if (round.reduce)
        for (const Segment& segment : round.receive.part)
          if (segment.count > 0) end += addition_s(segment.count);
      next[static_cast<std::size_t>(me)] = end;
    }
    if (alike) std::fill(next.begin(), next.end(), next.front());
    clocks.swap(next);
  }
}

// Ranks take part in few of the many rounds: those with something to do are taken from a queue, round by round.
void advance_clocks(const Redistribution& array, AlphaBeta network, const std::function<double(std::int64_t)>& copy_s,
                    std::vector<double>& clocks) {
  using Turn = std::pair<int, int>;  // round, rank
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  const auto clock = [&](int rank) -> double& { return clocks[static_cast<std::size_t>(rank)]; };
  const auto take_turn = [&](int rank, int after) {
    if (const int round = next_round(array, rank, after); round < array.ranks()) turns.push({round, rank});
  };
  const auto packing_s = [&](const Redistribution::Side& side, int rank, const ArrayBlock& block) {
    return stored_block(array, side, rank, block).contiguous() ? 0.0 : copy_s(array.floats(block));
  };
  for (int rank = 0; rank < array.ranks(); ++rank) {
    if (const ArrayBlock kept = kept_block(array, rank); !kept.empty()) clock(rank) += copy_s(array.floats(kept));
    take_turn(rank, 0);
  }
  struct Taken {
    int rank;
    Transfer transfer;
    double end_s;
  };
  std::vector<Taken> taken;
  while (!turns.empty()) {
    const int round = turns.top().first;
    for (taken.clear(); !turns.empty() && turns.top().first == round; turns.pop()) {
      const int rank = turns.top().second;
      taken.push_back({rank, transfer_of(array, rank, round), 0});
      clock(rank) += packing_s(array.from, rank, taken.back().transfer.send);
    }
    for (auto& [rank, transfer, end_s] : taken) {
      const double ready = end_s = clock(rank);
      if (transfer.send_to >= 0)
        end_s = message_end(ready, clock(transfer.send_to), array.floats(transfer.send), network);
      if (transfer.receive_from >= 0)
        end_s =
            std::max(end_s, message_end(ready, clock(transfer.receive_from), array.floats(transfer.receive), network));
      end_s += packing_s(array.to, rank, transfer.receive);
    }
    for (const auto& [rank, transfer, end_s] : taken) {
      clock(rank) = end_s;
      take_turn(rank, round);
    }
  }
}

Algorithm schedule_of(const CollectiveStep& step, const Partition& blocks) {
  if (step.algorithm != Algorithm::mpi) return step.algorithm;
  const auto bytes = blocks.size() * static_cast<std::int64_t>(sizeof(float));
  return resolve(Algorithm::automatic, step.operation, static_cast<int>(blocks.parts), bytes);
}

namespace {

// Executes a plan on the clocks of all ranks.
class ClockedRun {
 public:
  ClockedRun(const Plan& plan, PricedOperations& prices, AlphaBeta network)
      : plan_(plan),
        prices_(prices),
        network_(network),
        exchange_(prices),
        ranks_(static_cast<double>(plan.options.grid.size())),
        clocks_(static_cast<std::size_t>(plan.options.grid.size()), 0.0) {
    cost_.exchanges.resize(plan.report_layers.size());
    cost_.extrapolated_s.resize(plan.report_layers.size());
  }

  AlphaBetaCost run() {
    for (const Step& step : plan_.steps) std::visit([this](const auto& one) { advance(one); }, step);
    cost_.iteration_s = *std::max_element(clocks_.begin(), clocks_.end());
    return cost_;
  }

 private:
  // Columns with equally many samples cost the same: at most two kinds.
  void advance(const ComputeStep& step) {
    const Grid grid = plan_.grid_of(step);
    const Partition samples = plan_.samples(grid);
    for (int row = 0; row < grid.rows; ++row) {
      OperationCost cost;
      std::int64_t priced_samples = -1;
      for (int column = 0; column < grid.columns; ++column) {
        if (samples.length(column) != priced_samples) {
          priced_samples = samples.length(column);
          cost = prices_.price(plan_.operation(step, on_plan(grid, {row, column})));
        }
        clocks_[static_cast<std::size_t>(grid.rank({row, column}))] += cost.seconds;
        cost_.extrapolated_s[static_cast<std::size_t>(step.row)] += cost.extrapolated_s / ranks_;
      }
    }
  }

  void advance(const CollectiveStep& step) {
    const Grid grid = plan_.grid_of(step.tensor);
    const bool over_column = step.over_grid_column();
    const int groups = over_column ? grid.columns : grid.rows;
    double elapsed = 0;
    for (int g = 0; g < groups; ++g)
      elapsed += run_group(step, on_plan(grid, over_column ? Coordinates{0, g} : Coordinates{g, 0}));
    plan_.for_each_share(step, {}, [&](int row, double share) {
      cost_.exchanges[static_cast<std::size_t>(row)][step.exchange] += share * elapsed / ranks_;
    });
  }

  // Collectives are priced one after the other: nothing is hidden here.
  void advance(const WaitStep& /*step*/) {}

  void advance(const RedistributeStep& step) {
    const double before = std::accumulate(clocks_.begin(), clocks_.end(), 0.0);
    const HaloPrices prices = exchange_.of_halo();
    advance_clocks(plan_.redistribution(step), network_, prices.copy_s, clocks_);
    const double after = std::accumulate(clocks_.begin(), clocks_.end(), 0.0);
    cost_.exchanges[static_cast<std::size_t>(step.row)][Exchange::redistribute] += (after - before) / ranks_;
  }

  void advance(const HaloStep& step) {
    const double before = std::accumulate(clocks_.begin(), clocks_.end(), 0.0);
    const HaloPrices prices = exchange_.of_halo();
    const Halo halo = plan_.halo(step);
    if (step.stage == HaloStep::Stage::begin)
      halo_through_ = begin_halo(halo, network_, prices, clocks_);
    else
      end_halo(halo, prices, halo_through_, clocks_);
    const double after = std::accumulate(clocks_.begin(), clocks_.end(), 0.0);
    cost_.exchanges[static_cast<std::size_t>(step.row)][Exchange::halo] += (after - before) / ranks_;
  }

  // Returns the sum over the members of the time they spent in it.
  double run_group(const CollectiveStep& step, Coordinates first) {
    const Group group = plan_.group(step, first);
    const Partition blocks = plan_.blocks(step, first);
    std::vector<double> members(static_cast<std::size_t>(group.size));
    for (int i = 0; i < group.size; ++i)
      members[static_cast<std::size_t>(i)] = clocks_[static_cast<std::size_t>(group.rank(i))];
    const double before = std::accumulate(members.begin(), members.end(), 0.0);
    const Algorithm algorithm = schedule_of(step, blocks);
    const auto addition_s = [&](std::int64_t count) { return exchange_.addition_s(count); };
    // Groups that start alike end alike: most do, of the thousands that a large grid has.
    if (members != start_ || blocks != blocks_ || &step != step_) {
      start_ = members;
      blocks_ = blocks;
      step_ = &step;
      advance_clocks(step.operation, algorithm, blocks, network_, addition_s, members);
      end_ = members;
    }
    members = end_;
    for (int i = 0; i < group.size; ++i)
      clocks_[static_cast<std::size_t>(group.rank(i))] = members[static_cast<std::size_t>(i)];
    return std::accumulate(members.begin(), members.end(), 0.0) - before;
  }

  // Coordinates on a layer's grid as those on the plan's.
  [[nodiscard]] Coordinates on_plan(Grid grid, Coordinates at) const {
    return plan_.options.grid.coordinates(grid.rank(at));
  }

  const Plan& plan_;
  PricedOperations& prices_;
  AlphaBeta network_;
  ExchangePrices exchange_;
  double ranks_;
  std::vector<double> clocks_;
  AlphaBetaCost cost_;
  std::vector<double> halo_through_;      // of the halo exchange that runs
  const CollectiveStep* step_ = nullptr;  // the last one that was executed, its blocks, and its members' clocks
  Partition blocks_;
  std::vector<double> start_, end_;
};

}  // namespace

AlphaBetaCost alpha_beta_cost(const Plan& plan, PricedOperations& prices, AlphaBeta network) {
  return ClockedRun(plan, prices, network).run();
}

std::vector<std::pair<int, int>> sample_messages(const Plan& plan, int ranks) {
  constexpr int kRoundsSampled = 64;
  std::vector<std::pair<int, int>> pairs;
  const auto size = static_cast<int>(plan.options.grid.size());
  const int stride = std::max(1, size / ranks);
  for (int rank = 0; rank < size; rank += stride) {
    const Coordinates at = plan.options.grid.coordinates(rank);
    for (const Step& step : plan.steps) {
      if (const auto* moved = std::get_if<RedistributeStep>(&step)) {
        const Redistribution array = plan.redistribution(*moved);
        int round = 0;
        for (int i = 0; i < kRoundsSampled && (round = next_round(array, rank, round)) < size; ++i)
          if (const int to = transfer_of(array, rank, round).send_to; to >= 0) pairs.emplace_back(rank, to);
      }
      if (const auto* halo = std::get_if<HaloStep>(&step); halo != nullptr && halo->stage == HaloStep::Stage::begin)
        for_each_leg(plan.halo(*halo), rank, [&](const HaloLeg& leg) {
          if (leg.send_to >= 0) pairs.emplace_back(rank, leg.send_to);
        });
      const auto* collective = std::get_if<CollectiveStep>(&step);
      if (collective == nullptr) continue;
      const Group group = plan.group(*collective, at);
      const Partition blocks = plan.blocks(*collective, at);
      const Algorithm algorithm = schedule_of(*collective, blocks);
      const int rounds = round_count(algorithm, collective->operation, group.size);
      const int next = rounds > 0 ? std::max(1, rounds / kRoundsSampled) : 1;
      if (algorithm == Algorithm::ring && blocks.length(blocks.parts - 1) > 0) {  // each to the same neighbour
        pairs.insert(pairs.end(), static_cast<std::size_t>((rounds + next - 1) / next),
                     {rank, group.rank((group.me + 1) % group.size)});
        continue;
      }
      for (int i = 0; i < rounds; i += next) {
        const Round round = round_of(algorithm, collective->operation, blocks, group.me, i);
        if (round.send_to >= 0) pairs.emplace_back(rank, group.rank(round.send_to));
      }
    }
  }
  return pairs;
}

}  // namespace simtrain
