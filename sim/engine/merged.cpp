#include "sim/engine/merged.hpp"

#include <algorithm>
#include <limits>
#include <simgrid/s4u.hpp>
#include <unordered_map>

#include "base/error.hpp"

namespace simtrain {

namespace s4u = simgrid::s4u;

struct MergedRounds::Ring {
  s4u::BarrierPtr barrier;
  std::vector<double> latency_s;                // from each member to the next
  std::vector<std::pair<double, double>> ways;  // the distinct (latency, bandwidth) of these routes
  Sharing sharing = Sharing::none;
  Group group;                    // of its first member
  std::vector<double> uncounted;  // bytes from each member to the next that no message had, or minus what it had more
  int arrived = 0;                // members on their way into the barrier
  double end_s = 0;               // when the last of them may go on

  // Returns to all members when all have called and the latest end_s of theirs has come. The last one waits for it: the
  // others are in the barrier already, which saves each of them a switch.
  void meet(double member_end_s) {
    end_s = std::max(end_s, member_end_s);
    if (++arrived == static_cast<int>(latency_s.size())) {
      s4u::this_actor::sleep_until(end_s);
      arrived = 0;
      end_s = 0;
    }
    barrier->wait();
  }
};

MergedRounds::MergedRounds(Simulation& simulation, const std::vector<int>& host_of_rank, const std::vector<Grid>& grids)
    : simulation_(simulation), host_of_rank_(host_of_rank) {
  for (const Grid grid : grids) {
    std::vector<Group> columns, rows;
    for (int column = 0; column < grid.columns && grid.rows > 1; ++column)
      columns.push_back(column_group(grid, {0, column}));
    for (int row = 0; row < grid.rows && grid.columns > 1; ++row) rows.push_back(row_group(grid, {row, 0}));
    look_at(columns);
    look_at(rows);
  }
}

MergedRounds::~MergedRounds() = default;

void MergedRounds::look_at(const std::vector<Group>& groups) {
  std::vector<Simulation::Route> routes;  // of all members of all groups
  std::unordered_map<const s4u::Link*, int> flows;
  const auto host = [&](int rank) { return host_of_rank_[static_cast<std::size_t>(rank)]; };
  for (const Group& group : groups)
    for (int me = 0; me < group.size; ++me) {
      routes.push_back(simulation_.route(host(group.rank(me)), host(group.rank((me + 1) % group.size))));
      for (const s4u::Link* link : routes.back().links)
        if (link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE) ++flows[link];
    }
  auto route = routes.cbegin();
  for (const Group& group : groups) {
    auto ring = std::make_unique<Ring>();
    ring->barrier = s4u::Barrier::create(static_cast<unsigned int>(group.size));
    ring->group = group;
    ring->uncounted.resize(static_cast<std::size_t>(group.size));
    int least = std::numeric_limits<int>::max(), most = 0;  // flows on the busiest link of a way
    for (int me = 0; me < group.size; ++me, ++route) {
      ring->latency_s.push_back(route->latency_s);
      const std::pair way{route->latency_s, route->narrowest_Bps};
      if (std::find(ring->ways.begin(), ring->ways.end(), way) == ring->ways.end()) ring->ways.push_back(way);
      int busiest = 0;
      for (const s4u::Link* link : route->links)
        if (const auto found = flows.find(link); found != flows.end()) busiest = std::max(busiest, found->second);
      least = std::min(least, busiest);
      most = std::max(most, busiest);
    }
    ring->sharing = most <= 1 ? Sharing::none : least == most ? Sharing::equal : Sharing::unequal;
    rings_[{group.first, group.stride, group.size}] = std::move(ring);
  }
}

bool MergedRounds::known_to_be_near(bool ranks_equally_fast) const {
  return std::all_of(rings_.begin(), rings_.end(), [&](const auto& entry) {
    const Sharing sharing = entry.second->sharing;
    return sharing == Sharing::none || (sharing == Sharing::equal && ranks_equally_fast);
  });
}

MergedRounds::Ring& MergedRounds::ring_of(const Group& group) const {
  const auto found = rings_.find({group.first, group.stride, group.size});
  SIMTRAIN_INVARIANT(found != rings_.end(), "no ring of " + std::to_string(group.size) + " ranks");
  return *found->second;
}

Sharing MergedRounds::sharing(const Group& group) const { return ring_of(group).sharing; }

// Each round takes as long as the slowest way: a member cannot begin one before its neighbours have ended the last.
bool MergedRounds::start_ring(const Group& group, int rounds, std::int64_t round_bytes, const CollectiveTraffic& mine) {
  Ring& ring = ring_of(group);
  const double now_s = simulation_.clock_s();
  const bool by_formula = ring.sharing == Sharing::none;
  const std::int64_t simulated = by_formula ? 0 : rounds * (round_bytes + kEnvelopeBytes);
  ring.uncounted[static_cast<std::size_t>(group.me)] +=
      static_cast<double>(mine.bytes_sent + mine.messages * kEnvelopeBytes - simulated);
  if (!by_formula) {
    ring.meet(now_s);
    return false;
  }
  double round_s = 0;
  for (const auto& [latency_s, bandwidth_Bps] : ring.ways)
    round_s = std::max(round_s, latency_s + static_cast<double>(round_bytes + kEnvelopeBytes) / bandwidth_Bps);
  ring.meet(now_s + rounds * round_s);
  return true;
}

void MergedRounds::end_ring(const Group& group, int latencies) {
  Ring& ring = ring_of(group);
  const auto me = static_cast<std::size_t>(group.me), before = (me == 0 ? ring.latency_s.size() : me) - 1;
  ring.meet(simulation_.clock_s() + latencies * std::max(ring.latency_s[me], ring.latency_s[before]));
}

void MergedRounds::count_rings() const {
  for (const auto& [key, ring] : rings_)
    for (int me = 0; me < ring->group.size; ++me)
      if (const double bytes = ring->uncounted[static_cast<std::size_t>(me)]; bytes != 0)
        simulation_.count(host_of_rank_[static_cast<std::size_t>(ring->group.rank(me))],
                          host_of_rank_[static_cast<std::size_t>(ring->group.rank((me + 1) % ring->group.size))],
                          bytes);
}

void MergedRounds::pass_latencies(int rank, const std::vector<int>& partners) {
  double seconds = 0;
  for (const int partner : partners)
    seconds +=
        simulation_
            .route(host_of_rank_[static_cast<std::size_t>(rank)], host_of_rank_[static_cast<std::size_t>(partner)])
            .latency_s;
  if (seconds > 0) s4u::this_actor::sleep_for(seconds);
}

std::int64_t MergedRounds::envelope_floats() const { return kEnvelopeBytes / std::int64_t{sizeof(float)}; }

}  // namespace simtrain
