#include "sim/platform/spec.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/error.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

struct Family {
  std::string_view name;
  PlatformFamily family;
  double bandwidth_Bps, latency_s;  // defaults
};
constexpr std::array<Family, 5> kFamilies{{{"torus", PlatformFamily::torus, 6e9, 400e-9},
                                           {"fat-tree", PlatformFamily::fat_tree, 6e9, 500e-9},
                                           {"ethernet", PlatformFamily::ethernet, 1.25e9, 10e-6},
                                           {"crossbar", PlatformFamily::crossbar, 6e9, 2e-6},
                                           {"node", PlatformFamily::node, kLoopbackBandwidth_Bps, kLoopbackLatency_s}}};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::string joined(const std::vector<int>& numbers) {
  std::string text;
  for (const int number : numbers) text += (text.empty() ? "" : "x") + std::to_string(number);
  return text;
}

std::vector<int> parse_shape(const std::string& what, std::string_view text) {
  std::vector<int> shape;
  for (const std::string_view part : split(text, 'x'))
    shape.push_back(static_cast<int>(parse_integer(what, part, 1, kMostHosts)));
  return shape;
}

const Family& find_family(const std::string& who, std::string_view name) {
  for (const Family& family : kFamilies)
    if (family.name == name) return family;
  std::vector<std::string> names;
  for (const Family& family : kFamilies) names.emplace_back(family.name);
  throw InputError(who + ": " + unknown_choice("family", name, names));
}

std::vector<std::string> keys_of(PlatformFamily family) {
  std::vector<std::string> keys{"bandwidth", "latency", "memory"};
  if (family == PlatformFamily::fat_tree) keys.emplace_back("up");
  if (family == PlatformFamily::ethernet) keys.emplace_back("backbone");
  return keys;
}

std::string long_name(std::string_view key) {
  if (key == "bw") return "bandwidth";
  if (key == "lat") return "latency";
  return std::string(key);
}

void set(PlatformSpec& spec, const std::string& who, const std::string& key, std::string_view value) {
  const std::string what = who + ", key '" + key + "'";
  if (key == "bandwidth") spec.bandwidth_Bps = parse_bandwidth_Bps(what, value);
  if (key == "latency") spec.latency_s = parse_seconds(what, value);
  if (key == "memory") spec.memory_bytes = parse_bytes(what, value);
  if (key == "backbone") spec.backbone_Bps = parse_bandwidth_Bps(what, value);
  if (key == "up") spec.uplinks = parse_shape(what, value);
}

void read_keys(PlatformSpec& spec, const std::string& who, const std::vector<std::string_view>& pairs) {
  const std::vector<std::string> known = keys_of(spec.family);
  std::set<std::string> seen;
  for (const std::string_view pair : pairs) {
    const std::size_t equals = pair.find('=');
    const std::string key = long_name(pair.substr(0, equals));
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw InputError(who + ": " + unknown_choice("key", key, known));
    if (equals == std::string_view::npos)
      throw InputError(who + ", key '" + key + "': has no value; expected " + key + "=VALUE");
    if (!seen.insert(key).second) throw InputError(who + ", key '" + key + "': is given twice; expected once");
    set(spec, who, key, pair.substr(equals + 1));
  }
}

void check_shape(PlatformSpec& spec, const std::string& who) {
  const bool single = spec.family != PlatformFamily::torus && spec.family != PlatformFamily::fat_tree;
  if (single && spec.shape.size() != 1)
    throw InputError(who + ": shape '" + joined(spec.shape) + "' is not valid; expected one number, the hosts");
  std::int64_t hosts = 1;
  // SimGrid gives the two links of a host to itself one name.
  if (spec.family == PlatformFamily::torus)
    for (const int side : spec.shape)
      if (side == 1)
        throw InputError(who + ": shape '" + joined(spec.shape) +
                         "' has a dimension of 1 host; expected at least 2 in each (ethernet:1 is one host alone)");
  for (const int side : spec.shape)
    if (hosts *= side; hosts > kMostHosts)
      throw InputError(who + ": shape '" + joined(spec.shape) + "' has too many hosts; expected at most " +
                       std::to_string(kMostHosts));
  if (spec.family != PlatformFamily::fat_tree) return;
  if (spec.uplinks.empty()) spec.uplinks.assign(spec.shape.begin(), spec.shape.end() - 1);
  if (spec.uplinks.size() + 1 != spec.shape.size())
    throw InputError(who + ", key 'up': '" + joined(spec.uplinks) + "' is not valid; expected " +
                     std::to_string(spec.shape.size() - 1) + " numbers, one per level of switches below the top");
  // The widest level of switches, since uplinks multiply them.
  std::int64_t switches = hosts / spec.shape[0];
  for (std::size_t level = 0; level < spec.uplinks.size(); ++level)
    if (switches = switches / spec.shape[level + 1] * spec.uplinks[level]; switches > kMostHosts)
      throw InputError(who + ", key 'up': '" + joined(spec.uplinks) + "' has too many switches; expected at most " +
                       std::to_string(kMostHosts) + " in a level");
}

}  // namespace

bool is_platform_spec(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

PlatformSpec parse_platform_spec(std::string_view text) {
  const std::string who = "platform '" + std::string(text) + "'";
  const std::size_t colon = text.find(':');
  const Family& family = find_family(who, text.substr(0, colon));
  PlatformSpec spec;
  spec.family = family.family;
  spec.bandwidth_Bps = family.bandwidth_Bps;
  spec.latency_s = family.latency_s;
  std::vector<std::string_view> parts = split(colon == std::string_view::npos ? "" : text.substr(colon + 1), ',');
  spec.shape = parse_shape(who + ", shape", parts.front());
  parts.erase(parts.begin());
  read_keys(spec, who, parts);
  check_shape(spec, who);
  if (spec.family == PlatformFamily::node && spec.memory_bytes)
    spec.memory_bytes = std::max<std::int64_t>(1, *spec.memory_bytes / spec.hosts());
  return spec;
}

std::int64_t PlatformSpec::hosts() const {
  std::int64_t product = 1;
  for (const int side : shape) product *= side;
  return product;
}

std::string PlatformSpec::description() const {
  const std::string links = " of " + format_bandwidth(bandwidth_Bps) + " and " + format_seconds(latency_s);
  const std::string hosts_text = std::to_string(hosts()) + " hosts";
  switch (family) {
    case PlatformFamily::torus:
      return std::to_string(shape.size()) + "-D torus " + joined(shape) + ", links" + links;
    case PlatformFamily::fat_tree:
      return "fat tree " + joined(shape) + (uplinks.empty() ? "" : " with uplinks " + joined(uplinks)) + ", links" +
             links;
    case PlatformFamily::ethernet:
      return "Ethernet switch with " + hosts_text + ", links" + links +
             (backbone_Bps ? ", backbone of " + format_bandwidth(*backbone_Bps) : "");
    case PlatformFamily::crossbar:
      return "crossbar with " + hosts_text + ", routes" + links;
    case PlatformFamily::node:
      return "node with " + std::to_string(hosts()) + " cores, routes" + links;
  }
  return {};
}

}  // namespace simtrain
