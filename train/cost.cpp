#include "train/cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace simtrain {

namespace {

constexpr double kWordBytes = sizeof(float);

// When the message that member `from` sends in this round arrives, seen from either end.
double message_end(double ready_a, double ready_b, std::int64_t floats, AlphaBeta network) {
  return std::max(ready_a, ready_b) + network.latency_s +
         kWordBytes * static_cast<double>(floats) * network.seconds_per_byte;
}

}  // namespace

void advance_clocks(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, AlphaBeta network,
                    const std::function<double(std::int64_t)>& addition_s, std::vector<double>& clocks) {
  const int members = static_cast<int>(clocks.size());
  const int rounds = round_count(algorithm, operation, members);
  std::vector<double> next(clocks.size());
  for (int i = 0; i < rounds; ++i) {
    for (int me = 0; me < members; ++me) {
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
    clocks.swap(next);
  }
}

namespace {

// The library's collectives have no schedule of ours; what `automatic` would choose stands for them.
Algorithm schedule_of(const CollectiveStep& step, const Partition& blocks) {
  if (step.algorithm != Algorithm::mpi) return step.algorithm;
  const auto bytes = blocks.size() * static_cast<std::int64_t>(sizeof(float));
  return resolve(Algorithm::automatic, step.operation, static_cast<int>(blocks.parts), bytes);
}

// Executes a plan on the clocks of all ranks.
class ClockedRun {
 public:
  ClockedRun(const Plan& plan, PricedOperations& prices, AlphaBeta network)
      : plan_(plan),
        prices_(prices),
        network_(network),
        grid_(plan.options.grid),
        clocks_(static_cast<std::size_t>(grid_.size()), 0.0) {
    cost_.exchanges.resize(plan.report_layers.size());
    cost_.extrapolated_s.resize(plan.report_layers.size());
  }

  AlphaBetaCost run() {
    for (const Step& step : plan_.steps)
      if (const auto* compute = std::get_if<ComputeStep>(&step))
        advance(*compute);
      else
        advance(std::get<CollectiveStep>(step));
    cost_.iteration_s = *std::max_element(clocks_.begin(), clocks_.end());
    return cost_;
  }

 private:
  // Columns with equally many samples cost the same: at most two kinds.
  void advance(const ComputeStep& step) {
    for (int row = 0; row < grid_.rows; ++row) {
      OperationCost cost;
      std::int64_t priced_samples = -1;
      for (int column = 0; column < grid_.columns; ++column) {
        if (plan_.samples.length(column) != priced_samples) {
          priced_samples = plan_.samples.length(column);
          cost = prices_.price(plan_.operation(step, {row, column}));
        }
        clock({row, column}) += cost.seconds;
        cost_.extrapolated_s[static_cast<std::size_t>(step.row)] +=
            cost.extrapolated_s / static_cast<double>(grid_.size());
      }
    }
  }

  void advance(const CollectiveStep& step) {
    const bool over_column = step.over_grid_column();
    const int groups = over_column ? grid_.columns : grid_.rows;
    double elapsed = 0;
    for (int g = 0; g < groups; ++g) elapsed += run_group(step, over_column ? Coordinates{0, g} : Coordinates{g, 0});
    cost_.exchanges[static_cast<std::size_t>(step.row)][step.exchange] += elapsed / static_cast<double>(grid_.size());
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
    const auto addition_s = [&](std::int64_t count) {
      return prices_.price(ElementwiseOp{Elementwise::add, count}).seconds;
    };
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

  double& clock(Coordinates at) { return clocks_[static_cast<std::size_t>(grid_.rank(at))]; }

  const Plan& plan_;
  PricedOperations& prices_;
  AlphaBeta network_;
  Grid grid_;
  std::vector<double> clocks_;
  AlphaBetaCost cost_;
  const CollectiveStep* step_ = nullptr;  // the last one that was executed, its blocks, and its members' clocks
  Partition blocks_;
  std::vector<double> start_, end_;
};

double ceil_log2(int n) { return n <= 1 ? 0 : std::bit_width(static_cast<unsigned>(n - 1)); }

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
      const auto* collective = std::get_if<CollectiveStep>(&step);
      if (collective == nullptr) continue;
      const Group group = plan.group(*collective, at);
      const Partition blocks = plan.blocks(*collective, at);
      const Algorithm algorithm = schedule_of(*collective, blocks);
      const int rounds = round_count(algorithm, collective->operation, group.size);
      for (int i = 0; i < rounds; i += std::max(1, rounds / kRoundsSampled)) {
        const Round round = round_of(algorithm, collective->operation, blocks, group.me, i);
        if (round.send_to >= 0) pairs.emplace_back(rank, group.rank(round.send_to));
      }
    }
  }
  return pairs;
}

std::vector<ExchangeSeconds> paper_cost(const Plan& plan, AlphaBeta network) {
  const double pr = plan.options.grid.rows, pc = plan.options.grid.columns;
  const double alpha = network.latency_s, beta = network.seconds_per_byte * kWordBytes;  // seconds per word
  const double samples = static_cast<double>(plan.options.batch) / pc;                   // B/Pc
  std::vector<ExchangeSeconds> rows;
  for (const int index : plan.report_layers) {
    const Layer& layer = plan.network.layers[static_cast<std::size_t>(index)];
    const double d = static_cast<double>(layer.out.size()), w = static_cast<double>(layer.weight_count());
    const double gather = alpha * ceil_log2(plan.options.grid.rows) + beta * samples * (pr - 1) / pr * d;
    ExchangeSeconds row;
    row[Exchange::all_gather] = gather;
    row[Exchange::reduce_data] = 2 * gather;
    row[Exchange::reduce_weights] = 2 * (alpha * ceil_log2(plan.options.grid.columns) + beta * (pc - 1) / pc * w / pr);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace simtrain
