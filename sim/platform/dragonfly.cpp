#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/platform/families.hpp"

namespace simtrain {

namespace {

// Groups x routers x hosts. The cables out of a group have slots 0 ... (G - 1) K - 1, where K is their number between
// every two groups: slot k (G - 1) + o holds cable k to the group o + 1 places further. Slots are dealt out to routers
// in equal runs, so that the K cables to one group leave from routers far from each other.
//
//   9 groups of 4 routers, K = 1: router 0 of each group has the cables to the groups 1 and 2 places further, ...
//
// Cable k from group g at offset o and cable k from that group at offset G - 2 - o are the two directions of one.
class Dragonfly final : public Topology {
 public:
  explicit Dragonfly(const PlatformSpec& spec)
      : Topology(static_cast<std::int32_t>(spec.hosts()), spec.shape[0] * spec.shape[1]),
        groups_(spec.shape[0]),
        routers_(spec.shape[1]),
        hosts_each_(spec.shape[2]),
        cables_(static_cast<std::int32_t>(spec.global_cables())) {
    add_class("host up", hosts(), spec.bandwidth_Bps, spec.latency_s);
    first_down_ = add_class("host down", hosts(), spec.bandwidth_Bps, spec.latency_s);
    first_local_ = add_class("local", groups_ * routers_ * (routers_ - 1), spec.between_switches.bandwidth_Bps,
                             spec.between_switches.latency_s);
    first_global_ =
        add_class("global", groups_ * slots(), spec.between_groups.bandwidth_Bps, spec.between_groups.latency_s);
  }

  void route(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const override {
    if (from == to) return;
    links.push_back(from);
    const std::int32_t start = from / hosts_each_, end = to / hosts_each_;
    std::int32_t at = start;
    if (group_of(start) != group_of(end)) {
      const std::int32_t slot = choose(start, end, to);
      const std::int32_t global = first_global_ + group_of(start) * slots() + slot;
      const auto [leaves, arrives] = ends(global);
      add_local(start, leaves - hosts(), links);
      links.push_back(global);
      at = arrives - hosts();
    }
    add_local(at, end, links);
    links.push_back(first_down_ + to);
  }

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> ends(std::int32_t link) const override {
    if (link < first_down_) return {link, hosts() + link / hosts_each_};
    if (link < first_local_) return {hosts() + (link - first_down_) / hosts_each_, link - first_down_};
    if (link < first_global_) {
      const std::int32_t router = (link - first_local_) / (routers_ - 1),
                         other = (link - first_local_) % (routers_ - 1);
      const std::int32_t skipped = other < router % routers_ ? other : other + 1;
      return {hosts() + router, hosts() + group_of(router) * routers_ + skipped};
    }
    const std::int32_t group = (link - first_global_) / slots(), slot = (link - first_global_) % slots();
    const std::int32_t offset = slot % (groups_ - 1), back = slot - offset + groups_ - 2 - offset;
    const std::int32_t other = (group + offset + 1) % groups_;
    return {hosts() + group * routers_ + router_of(slot), hosts() + other * routers_ + router_of(back)};
  }

  [[nodiscard]] std::string place_of(std::int32_t vertex) const override {
    if (vertex < hosts()) return "host " + std::to_string(vertex);
    const std::int32_t router = vertex - hosts();
    return "router " + std::to_string(router % routers_) + " of group " + std::to_string(group_of(router));
  }

  // Groups on a circle, in each its routers on another; hosts in a row beyond their router.
  [[nodiscard]] Point position_of(std::int32_t vertex) const override {
    const bool host = vertex < hosts();
    const std::int32_t router = host ? vertex / hosts_each_ : vertex - hosts(), group = group_of(router);
    const auto radius_of = [](double things, double size) { return things * size / (2 * std::numbers::pi); };
    const double inner = std::max(1.2, radius_of(routers_, 2.2)), outer = inner + 1 + hosts_each_;
    const double middle = groups_ == 1 ? 0 : std::max(outer + 1, radius_of(groups_, 2 * outer + 1));
    const double around = 2 * std::numbers::pi * group / groups_;
    const double within = around + 2 * std::numbers::pi * (router % routers_) / routers_;
    const double distance = host ? inner + 1.2 + vertex % hosts_each_ : inner;
    return {middle * std::sin(around) + distance * std::sin(within),
            middle * std::cos(around) + distance * std::cos(within)};
  }

  [[nodiscard]] std::int32_t cable_of(std::int32_t link) const override {
    return link < first_global_ ? 0 : (link - first_global_) % slots() / (groups_ - 1);
  }

  // All groups are alike, and so are the hosts of a router.
  [[nodiscard]] std::vector<std::int32_t> representatives() const override {
    std::vector<std::int32_t> all;
    for (std::int32_t router = 0; router < routers_; ++router) all.push_back(router * hosts_each_);
    return all;
  }

 private:
  [[nodiscard]] std::int32_t group_of(std::int32_t router) const { return router / routers_; }
  [[nodiscard]] std::int32_t slots() const { return (groups_ - 1) * cables_; }
  // The router, within its group, that a slot is on.
  [[nodiscard]] std::int32_t router_of(std::int32_t slot) const {
    return static_cast<std::int32_t>(std::int64_t{slot} * routers_ / slots());
  }

  // The slot, in the group of router `start`, of a cable on a shortest way to router `end`; which one of several is
  // decided by the host `to`.
  [[nodiscard]] std::int32_t choose(std::int32_t start, std::int32_t end, std::int32_t to) const {
    const std::int32_t offset = (group_of(end) - group_of(start) - 1 + groups_) % groups_;
    const auto slot_of = [&](std::int32_t cable) { return cable * (groups_ - 1) + offset; };
    const auto detours = [&](std::int32_t cable) {
      const std::int32_t back = cable * (groups_ - 1) + groups_ - 2 - offset;
      return (router_of(slot_of(cable)) != start % routers_ ? 1 : 0) + (router_of(back) != end % routers_ ? 1 : 0);
    };
    std::int32_t fewest = 2, alike = 0;
    for (std::int32_t cable = 0; cable < cables_; ++cable) {
      const std::int32_t mine = detours(cable);
      alike = mine < fewest ? 1 : alike + (mine == fewest ? 1 : 0);
      fewest = std::min(fewest, mine);
    }
    std::int32_t skip = to % alike, cable = 0;
    for (; detours(cable) != fewest || skip > 0; ++cable)
      if (detours(cable) == fewest) --skip;
    return slot_of(cable);
  }

  void add_local(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const {
    if (from == to) return;
    const std::int32_t other = to % routers_, mine = from % routers_;
    links.push_back(first_local_ + from * (routers_ - 1) + (other < mine ? other : other - 1));
  }

  std::int32_t groups_, routers_, hosts_each_, cables_;
  std::int32_t first_down_ = 0, first_local_ = 0, first_global_ = 0;
};

}  // namespace

std::unique_ptr<Topology> make_dragonfly(const PlatformSpec& spec) { return std::make_unique<Dragonfly>(spec); }

}  // namespace simtrain
