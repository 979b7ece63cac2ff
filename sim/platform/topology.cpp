#include "sim/platform/topology.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sim/platform/families.hpp"

namespace simtrain {

std::int32_t Topology::links() const { return classes_.empty() ? 0 : classes_.back().first + classes_.back().count; }

const LinkClass& Topology::class_of(std::int32_t link) const {
  SIMTRAIN_INVARIANT(link >= 0 && link < links(), std::to_string(link));
  const auto after = std::upper_bound(classes_.begin(), classes_.end(), link,
                                      [](std::int32_t number, const LinkClass& one) { return number < one.first; });
  return *(after - 1);
}

std::string Topology::name_of(std::int32_t link) const {
  const auto [from, to] = ends(link);
  std::string name = class_of(link).name + " of " + place_of(from < hosts_ || to >= hosts_ ? from : to);
  if (from < hosts_ || to < hosts_ || from == to) return name;
  name += " to " + place_of(to);
  if (const std::int32_t cable = cable_of(link); cable > 0) name += ", cable " + std::to_string(cable);
  return name;
}

std::vector<std::vector<bool>> Topology::halves() const {
  std::vector<bool> second(static_cast<std::size_t>(hosts_));
  for (std::int32_t host = (hosts_ + 1) / 2; host < hosts_; ++host) second[static_cast<std::size_t>(host)] = true;
  return {second};
}

std::int32_t Topology::add_class(std::string name, std::int32_t count, double bandwidth_Bps, double latency_s) {
  const std::int32_t first = links();
  if (count > 0) classes_.push_back({std::move(name), first, count, bandwidth_Bps, latency_s});
  return first;
}

std::unique_ptr<Topology> make_topology(const PlatformSpec& spec) {
  switch (spec.family) {
    case PlatformFamily::torus:
      return make_torus(spec);
    case PlatformFamily::fat_tree:
    case PlatformFamily::leaf_spine:
      return make_fat_tree(spec);
    case PlatformFamily::dragonfly:
      return make_dragonfly(spec);
    case PlatformFamily::ethernet:
    case PlatformFamily::crossbar:
    case PlatformFamily::node:
      return make_star(spec);
  }
  SIMTRAIN_INVARIANT(false, "a family without topology");
  return nullptr;
}

}  // namespace simtrain
