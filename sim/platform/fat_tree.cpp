#include <algorithm>
#include <cmath>

#include "sim/platform/families.hpp"

namespace simtrain {

namespace {

// An extended generalised fat tree (S. R. Ohring et al., "On Generalized Fat Trees", IPPS 1995): a switch of level l is
// (s, b): below it are the hosts whose number / m_1 ... m_l is s, and b = 0 ... w_1 ... w_l - 1 tells those with the
// same hosts apart. Its uplink c leads to (s / m_l+1, b + c w_1 ... w_l), over one or more parallel cables. Level 0 are
// the hosts, which have one uplink of one cable.
class FatTree final : public Topology {
 public:
  FatTree(const PlatformSpec& spec, std::int32_t switches)
      : Topology(static_cast<std::int32_t>(spec.hosts()), switches),
        top_name_(spec.family == PlatformFamily::leaf_spine ? "spine " : "core ") {
    const std::vector<int> down = spec.downlinks();
    std::int32_t hosts_below = 1, twins = 1, vertex = 0;
    for (std::size_t l = 0; l < down.size(); ++l) {
      Level level{hosts_below, twins, 1, 1, vertex, 0, 0};
      LinkFigures figures{spec.bandwidth_Bps, spec.latency_s};
      if (l > 0) {
        level.uplinks = spec.uplinks[l - 1];
        level.cables = spec.cables[l - 1];
        figures = spec.between_switches;
      }
      const std::int32_t vertices = hosts() / hosts_below * twins, cables = vertices * level.uplinks * level.cables;
      const std::string name = l == 0 ? "host" : l == 1 ? "leaf" : "level " + std::to_string(l);
      level.first_up = add_class(name + " up", cables, figures.bandwidth_Bps, figures.latency_s);
      level.first_down = add_class(name + " down", cables, figures.bandwidth_Bps, figures.latency_s);
      levels_.push_back(level);
      vertex += vertices;
      hosts_below *= down[l];
      twins *= level.uplinks;
    }
    levels_.push_back({hosts_below, twins, 0, 0, vertex, 0, 0});  // the top, without uplinks
  }

  void route(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const override {
    std::size_t top = 0;
    while (from / levels_[top].hosts_below != to / levels_[top].hosts_below) ++top;
    std::int32_t twin = 0;
    std::vector<std::int32_t> down;
    for (std::size_t l = 0; l < top; ++l) {
      const Level& level = levels_[l];
      const std::int32_t chosen = to / level.twins % level.uplinks;
      const std::int32_t cable = to / level.twins / level.uplinks % level.cables;
      links.push_back(level.first_up + number_of(level, from, twin, chosen, cable));
      down.push_back(level.first_down + number_of(level, to, twin, chosen, cable));
      twin += chosen * level.twins;
    }
    links.insert(links.end(), down.rbegin(), down.rend());
  }

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> ends(std::int32_t link) const override {
    const LinkClass& its = class_of(link);
    const std::size_t l = level_of_link(its.first);
    const Level &level = levels_[l], &above = levels_[l + 1];
    const std::int32_t number = (link - its.first) / level.cables;
    const std::int32_t lower = number / level.uplinks, chosen = number % level.uplinks;
    const std::int32_t subtree = lower / level.twins, twin = lower % level.twins;
    const std::int32_t upper =
        subtree * level.hosts_below / above.hosts_below * above.twins + twin + chosen * level.twins;
    const std::pair up{level.first_vertex + lower, above.first_vertex + upper};
    return its.first == level.first_up ? up : std::pair{up.second, up.first};
  }

  [[nodiscard]] std::string place_of(std::int32_t vertex) const override {
    const std::size_t l = level_of_vertex(vertex);
    const std::string number = std::to_string(vertex - levels_[l].first_vertex);
    if (l == 0) return "host " + number;
    return (l + 1 == levels_.size() ? top_name_
            : l == 1                ? std::string("leaf ")
                                    : "switch of level " + std::to_string(l) + ", ") +
           number;
  }

  // Level by level, the hosts of a leaf in a block below it.
  [[nodiscard]] Point position_of(std::int32_t vertex) const override {
    const double on_leaf = levels_[1].hosts_below, columns = std::ceil(std::sqrt(on_leaf));
    const double width = std::max(columns + 1, 2.5);  // of a leaf and its block
    const std::size_t l = level_of_vertex(vertex);
    const Level& level = levels_[l];
    if (l == 0) {
      const double place = vertex % levels_[1].hosts_below;
      return {std::floor(vertex / on_leaf) * width + std::fmod(place, columns) - (columns - 1) / 2,
              -1.5 - std::floor(place / columns)};
    }
    const double subtree = (vertex - level.first_vertex) / level.twins,
                 twin = (vertex - level.first_vertex) % level.twins;
    const double leaves_below = level.hosts_below / on_leaf;
    const double whole = hosts() / on_leaf * width, height = std::max(3.0, whole / 6);
    return {(subtree + (twin + 0.5) / level.twins) * leaves_below * width - width / 2,
            static_cast<double>(l - 1) * height};
  }

  [[nodiscard]] std::int32_t cable_of(std::int32_t link) const override {
    const LinkClass& its = class_of(link);
    return (link - its.first) % levels_[level_of_link(its.first)].cables;
  }

 private:
  struct Level {
    std::int32_t hosts_below, twins, uplinks, cables, first_vertex, first_up, first_down;
  };

  // The number, among those of its level, of a cable of the switch above a host.
  [[nodiscard]] static std::int32_t number_of(const Level& level, std::int32_t host, std::int32_t twin,
                                              std::int32_t chosen, std::int32_t cable) {
    return ((host / level.hosts_below * level.twins + twin) * level.uplinks + chosen) * level.cables + cable;
  }

  [[nodiscard]] std::size_t level_of_vertex(std::int32_t vertex) const {
    std::size_t l = levels_.size() - 1;
    while (vertex < levels_[l].first_vertex) --l;
    return l;
  }

  [[nodiscard]] std::size_t level_of_link(std::int32_t first) const {
    std::size_t l = 0;
    while (levels_[l].first_up != first && levels_[l].first_down != first) ++l;
    return l;
  }

  std::string top_name_;
  std::vector<Level> levels_;  // of hosts, leaf switches, ..., the top
};

std::int32_t count_switches(const PlatformSpec& spec) {
  const std::vector<int> down = spec.downlinks();
  std::int64_t switches = 0, level = spec.hosts();
  for (std::size_t l = 0; l < down.size(); ++l) {
    level = level / down[l] * (l == 0 ? 1 : spec.uplinks[l - 1]);
    switches += level;
  }
  return static_cast<std::int32_t>(switches);
}

}  // namespace

std::unique_ptr<Topology> make_fat_tree(const PlatformSpec& spec) {
  return std::make_unique<FatTree>(spec, count_switches(spec));
}

}  // namespace simtrain
