#include "sim/sweep/bound.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "calibrate/kernel_times.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/prediction/machine.hpp"
#include "train/merged.hpp"
#include "train/redistribution.hpp"

namespace simtrain {

namespace {

constexpr double kSlightlyLess = 0.999;
constexpr std::int64_t kMostRanksLookedAt = 512;
constexpr std::int64_t kWholeBlock = std::int64_t{1} << 40;  // floats of a message: blocks are not cut into pieces

// What one message takes at least, from rank to rank.
class Messages {
 public:
  Messages(const Simulation& simulation, const std::vector<int>& hosts) : simulation_(simulation), hosts_(hosts) {}

  double seconds(int from, int to, double bytes, std::int64_t messages = 1) {
    if (messages == 0) return 0;
    const Way& way = between(hosts_[static_cast<std::size_t>(from)], hosts_[static_cast<std::size_t>(to)]);
    return static_cast<double>(messages) * way.latency_s + bytes * way.seconds_per_byte;
  }

 private:
  struct Way {
    double latency_s = 0, seconds_per_byte = 0;
  };
  const Way& between(int from, int to) {
    const auto [place, added] = ways_.try_emplace({from, to});
    if (added) {
      const Simulation::Route route = simulation_.route(from, to);
      place->second = {route.latency_s, route.narrowest_Bps > 0 ? 1 / route.narrowest_Bps : 0};
    }
    return place->second;
  }

  const Simulation& simulation_;
  const std::vector<int>& hosts_;
  std::map<std::pair<int, int>, Way> ways_;
};

// The bound of one rank: three chains.
class RankBound {
 public:
  RankBound(const Plan& plan, int rank, PricedOperations& prices, Messages* messages)
      : plan_(plan), rank_(rank), at_(plan.options.grid.coordinates(rank)), prices_(prices), messages_(messages) {
    for (const Step& step : plan.steps) std::visit([this](const auto& one) { add(one); }, step);
  }

  [[nodiscard]] double seconds(double slowness) const {
    if (plan_.options.overlap.any()) return std::max({computing_s_ * slowness, blocking_s_, background_s_});
    return (computing_s_ + additions_s_) * slowness + blocking_s_;
  }

 private:
  void add(const ComputeStep& step) { computing_s_ += prices_.price(plan_.operation(step, at_)).seconds; }
  void add(const HaloStep& /*step*/) {}
  void add(const WaitStep& /*step*/) {}

  void add(const CollectiveStep& step) {
    if (step.algorithm == Algorithm::mpi) return;
    const Group group = plan_.group(step, at_);
    const Partition blocks = plan_.blocks(step, at_);
    if (group.size == 1 || blocks.size() == 0) return;
    for_each_addition(step.operation, step.algorithm, blocks, group.me, [&](std::int64_t floats, std::int64_t times) {
      additions_s_ += prices_.price(ElementwiseOp{Elementwise::add, floats, times}).seconds;
    });
    if (messages_ == nullptr) return;
    (step.course == Course::background ? background_s_ : blocking_s_) += messages_s(step, group, blocks);
  }

  double messages_s(const CollectiveStep& step, const Group& group, const Partition& blocks) {
    if (step.algorithm == Algorithm::ring) {  // all rounds go the same way
      const CollectiveTraffic traffic = traffic_of(step.operation, step.algorithm, blocks, group.me, kWholeBlock);
      return messages_->seconds(rank_, group.rank((group.me + 1) % group.size), static_cast<double>(traffic.bytes_sent),
                                traffic.messages);
    }
    double seconds = 0;
    for (int i = 0; i < round_count(step.algorithm, step.operation, group.size); ++i) {
      const Round round = round_of(step.algorithm, step.operation, blocks, group.me, i);
      if (round.send_to >= 0)
        seconds += messages_->seconds(rank_, group.rank(round.send_to), bytes_of(round.send.count()));
    }
    return seconds;
  }

  void add(const RedistributeStep& step) {
    if (messages_ == nullptr) return;
    const Redistribution array = plan_.redistribution(step);
    for (int round = next_round(array, rank_, 0); round < array.ranks(); round = next_round(array, rank_, round)) {
      const Transfer transfer = transfer_of(array, rank_, round);
      if (transfer.send_to >= 0)
        blocking_s_ += messages_->seconds(rank_, transfer.send_to, bytes_of(array.floats(transfer.send)));
    }
  }

  static double bytes_of(std::int64_t floats) { return sizeof(float) * static_cast<double>(floats); }

  const Plan& plan_;
  int rank_;
  Coordinates at_;
  PricedOperations& prices_;
  Messages* messages_;  // null: they count for nothing
  double computing_s_ = 0, additions_s_ = 0, blocking_s_ = 0, background_s_ = 0;
};

}  // namespace

struct PlatformBounds::State {
  Simulation simulation;
  std::shared_ptr<const Profile> profile;
  std::optional<HostSpace> plain, near;

  const HostSpace& space(bool nearness) {
    std::optional<HostSpace>& known = nearness ? near : plain;
    if (!known) known = host_space(simulation, nearness);
    return *known;
  }

  double bound_of(const Plan& plan, const Job& job, const PredictionOptions& options, const Placement& placement) {
    const std::vector<int> hosts =
        place(placement, plan.options.grid, options.ranks_per_host, space(needs_nearness(placement)));
    simulation.check_hosts(hosts);
    const Load load{job.threads, simulation.most_ranks_at_once(hosts)};
    PricedOperations prices(profile->at(load), options.compute_scale, profile->exceeded_by(load));
    const SlowParts slow = find_slow_parts(simulation, options.slow_parts);
    Messages messages(simulation, hosts);
    const std::int64_t ranks = plan.options.grid.size();
    const std::int64_t stride = std::max<std::int64_t>(1, ranks / kMostRanksLookedAt);
    double longest_s = 0;
    for (std::int64_t rank = 0; rank < ranks; rank += stride) {
      const RankBound bound(plan, static_cast<int>(rank), prices,
                            options.network_model == NetworkModel::linear ? &messages : nullptr);
      longest_s = std::max(longest_s, bound.seconds(slowness(slow, hosts[static_cast<std::size_t>(rank)])));
    }
    return longest_s;
  }
};

PlatformBounds::PlatformBounds(const PredictionOptions& options)
    : state_(new State{Simulation(options.platform, {.ranks = 1}), load_profile(options), {}, {}}) {
  state_->simulation.scale_links(options.bandwidth_scale, options.latency_scale);
}

PlatformBounds::~PlatformBounds() = default;

double PlatformBounds::lower_bound_s(const Job& job, const PredictionOptions& options) {
  const Plan plan = checked_plan(job, options);
  if (options.placement.kind != Placement::Kind::automatic)
    return kSlightlyLess * state_->bound_of(plan, job, options, options.placement);
  std::optional<double> least_s;
  for (const Placement& placement : deterministic_placements()) {
    try {
      const double one_s = state_->bound_of(plan, job, options, placement);
      least_s = std::min(least_s.value_or(one_s), one_s);
    } catch (const NotPlaceable&) {  // the others can
    }
  }
  return kSlightlyLess * least_s.value_or(0);
}

}  // namespace simtrain
