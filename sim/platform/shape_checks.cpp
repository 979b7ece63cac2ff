#include "sim/platform/shape_checks.hpp"

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr int kLongestRing = 16'384;

using enum PlatformFamily;

[[noreturn]] void refuse(const std::string& who, const std::string& what, const std::vector<int>& numbers,
                         const std::string& why) {
  throw InputError(who + ", " + what + ": '" + joined(numbers) + "' " + why);
}

void check_levels(const std::string& who, const PlatformSpec& spec) {
  const std::size_t levels = spec.shape.size() - 1;
  const std::string expected = "is not valid; expected " + std::to_string(levels) +
                               (levels == 1 ? " number" : " numbers") + ", one per level of switches below the top";
  if (spec.uplinks.size() != levels) refuse(who, "key 'up'", spec.uplinks, expected);
  if (spec.cables.size() != levels) refuse(who, "key 'cables'", spec.cables, expected);
}

void count_tree(const std::string& who, const PlatformSpec& spec) {
  const char* up = spec.family == leaf_spine ? "key 'spines'" : "key 'up'";
  const std::vector<int> down = spec.downlinks();
  std::int64_t switches = spec.hosts() / down[0], cables = spec.hosts();
  for (std::size_t level = 0; level < spec.uplinks.size(); ++level) {
    cables += switches * spec.uplinks[level] * spec.cables[level];  // below 2^60
    // Uplinks multiply the switches of the next level, downlinks divide them.
    switches = switches / down[level + 1] * spec.uplinks[level];
    if (switches > kMostHosts)
      refuse(who, up, spec.uplinks,
             "has too many switches; expected at most " + std::to_string(kMostHosts) + " in a level");
    if (cables > kMostCables)
      refuse(who, up, spec.uplinks, "has too many cables; expected at most " + std::to_string(kMostCables));
  }
}

void check_dragonfly(const std::string& who, const PlatformSpec& spec) {
  const std::int64_t groups = spec.shape[0], routers = spec.shape[1], ports = spec.global_ports;
  if (routers * ports < groups - 1)
    refuse(who, "key 'global'", {spec.global_ports},
           "joins a group of " + std::to_string(routers) + " routers to " + std::to_string(routers * ports) +
               " others; expected at least " + std::to_string((groups - 1 + routers - 1) / routers) + " for " +
               std::to_string(groups) + " groups");
  const std::int64_t cables = groups * (routers * (routers - 1) / 2) + groups * (groups - 1) / 2 * spec.global_cables();
  if (cables > kMostCables)
    refuse(who, "shape", spec.shape, "has too many cables; expected at most " + std::to_string(kMostCables));
}

}  // namespace

void check_hosts(const std::string& who, const PlatformSpec& spec) {
  const auto expect = [&](std::size_t numbers, const std::string& expected) {
    if (spec.shape.size() != numbers)
      throw InputError(who + ": shape '" + joined(spec.shape) + "' is not valid; expected " + expected);
  };
  if (spec.family == leaf_spine) expect(2, "two numbers: leaf switches x hosts on each, such as 16x32");
  if (spec.family == dragonfly)
    expect(3, "three numbers: groups x routers in a group x hosts on a router, such as 9x4x2");
  if (spec.family == ethernet || spec.family == crossbar || spec.family == node) expect(1, "one number, the hosts");
  if (spec.family == torus)
    for (const int side : spec.shape) {
      if (side > kLongestRing)
        throw InputError(who + ": shape '" + joined(spec.shape) + "' has a ring of " + std::to_string(side) +
                         " hosts, whose routes have thousands of links; expected at most " +
                         std::to_string(kLongestRing) + " in each dimension");
      if (side == 1)  // its cables would join a host to itself
        throw InputError(who + ": shape '" + joined(spec.shape) +
                         "' has a dimension of 1 host; expected at least 2 in each (ethernet:1 is one host alone)");
    }
  std::int64_t hosts = 1;
  for (const int side : spec.shape)
    if (hosts *= side; hosts > kMostHosts)
      throw InputError(who + ": shape '" + joined(spec.shape) + "' has too many hosts; expected at most " +
                       std::to_string(kMostHosts));
}

void check_switches(const std::string& who, const PlatformSpec& spec) {
  if (spec.family == torus && spec.hosts() * static_cast<std::int64_t>(spec.shape.size()) > kMostCables)
    refuse(who, "shape", spec.shape, "has too many cables; expected at most " + std::to_string(kMostCables));
  if (spec.family == fat_tree) check_levels(who, spec);
  if (spec.family == fat_tree || spec.family == leaf_spine) count_tree(who, spec);
  if (spec.family == dragonfly) check_dragonfly(who, spec);
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

}  // namespace simtrain
