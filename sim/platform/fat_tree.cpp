#include "sim/platform/families.hpp"

namespace simtrain {

namespace {

// An extended generalised fat tree (S. R. Ohring et al., "On Generalized Fat Trees", IPPS 1995): a switch of level l is
// (s, b): below it are the hosts whose number / m_1 ... m_l is s, and b = 0 ... w_1 ... w_l - 1 tells those with the
// same hosts apart. Its uplink c leads to (s / m_l+1, b + c w_1 ... w_l). Level 0 are the hosts, which have one uplink.
class FatTree final : public Topology {
 public:
  FatTree(const PlatformSpec& spec, std::int32_t switches)
      : Topology(static_cast<std::int32_t>(spec.hosts()), switches) {
    std::int32_t hosts_below = 1, twins = 1, vertex = 0;
    for (std::size_t l = 0; l < spec.shape.size(); ++l) {
      Level level{hosts_below, twins, l == 0 ? 1 : spec.uplinks[l - 1], vertex, 0, 0};
      const std::int32_t vertices = hosts() / hosts_below * twins, cables = vertices * level.uplinks;
      const std::string name = l == 0 ? "host" : l == 1 ? "leaf" : "level " + std::to_string(l);
      level.first_up = add_class(name + " up", cables, spec.bandwidth_Bps, spec.latency_s);
      level.first_down = add_class(name + " down", cables, spec.bandwidth_Bps, spec.latency_s);
      levels_.push_back(level);
      vertex += vertices;
      hosts_below *= spec.shape[l];
      twins *= level.uplinks;
    }
    levels_.push_back({hosts_below, twins, 0, vertex, 0, 0});  // the top, without uplinks
  }

  void route(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const override {
    std::size_t top = 0;
    while (from / levels_[top].hosts_below != to / levels_[top].hosts_below) ++top;
    std::int32_t twin = 0;
    std::vector<std::int32_t> down;
    for (std::size_t l = 0; l < top; ++l) {
      const Level& level = levels_[l];
      const std::int32_t chosen = to / level.twins % level.uplinks;
      links.push_back(level.first_up + cable(level, from, twin, chosen));
      down.push_back(level.first_down + cable(level, to, twin, chosen));
      twin += chosen * level.twins;
    }
    links.insert(links.end(), down.rbegin(), down.rend());
  }

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> ends(std::int32_t link) const override {
    const LinkClass& its = class_of(link);
    const std::size_t l = level_of_link(its.first);
    const Level &level = levels_[l], &above = levels_[l + 1];
    const std::int32_t number = link - its.first, lower = number / level.uplinks, chosen = number % level.uplinks;
    const std::int32_t subtree = lower / level.twins, twin = lower % level.twins;
    const std::int32_t upper =
        subtree * level.hosts_below / above.hosts_below * above.twins + twin + chosen * level.twins;
    const std::pair up{level.first_vertex + lower, above.first_vertex + upper};
    return its.first == level.first_up ? up : std::pair{up.second, up.first};
  }

  [[nodiscard]] std::string place_of(std::int32_t vertex) const override {
    std::size_t l = levels_.size() - 1;
    while (vertex < levels_[l].first_vertex) --l;
    const std::string number = std::to_string(vertex - levels_[l].first_vertex);
    if (l == 0) return "host " + number;
    return (l + 1 == levels_.size() ? "core "
            : l == 1                ? "leaf "
                                    : "switch of level " + std::to_string(l) + ", ") +
           number;
  }

 private:
  struct Level {
    std::int32_t hosts_below, twins, uplinks, first_vertex, first_up, first_down;
  };

  // The number, among those of its level, of an uplink of the switch above a host.
  [[nodiscard]] static std::int32_t cable(const Level& level, std::int32_t host, std::int32_t twin,
                                          std::int32_t chosen) {
    return (host / level.hosts_below * level.twins + twin) * level.uplinks + chosen;
  }

  [[nodiscard]] std::size_t level_of_link(std::int32_t first) const {
    std::size_t l = 0;
    while (levels_[l].first_up != first && levels_[l].first_down != first) ++l;
    return l;
  }

  std::vector<Level> levels_;  // of hosts, leaf switches, ..., the top
};

std::int32_t count_switches(const PlatformSpec& spec) {
  std::int64_t switches = 0, level = spec.hosts();
  for (std::size_t l = 0; l < spec.shape.size(); ++l) {
    level = level / spec.shape[l] * (l == 0 ? 1 : spec.uplinks[l - 1]);
    switches += level;
  }
  return static_cast<std::int32_t>(switches);
}

}  // namespace

std::unique_ptr<Topology> make_fat_tree(const PlatformSpec& spec) {
  return std::make_unique<FatTree>(spec, count_switches(spec));
}

}  // namespace simtrain
