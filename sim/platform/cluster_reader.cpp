#include "sim/platform/cluster_reader.hpp"

#include <algorithm>
#include <charconv>
#include <xbt/parse_units.hpp>

#include "base/units.hpp"
#include "sim/platform/xml.hpp"

namespace simtrain {

namespace {

// "16,8" at the commas; nothing if a part is no number above 0.
std::optional<std::vector<int>> numbers(std::string_view text) {
  std::vector<int> all;
  for (const char *at = text.data(), *end = at + text.size();; ++at) {
    const auto [next, error] = std::from_chars(at, end, all.emplace_back());
    if (error != std::errc() || all.back() < 1) return std::nullopt;
    if (next == end) return all;
    if (*next != ',') return std::nullopt;
    at = next;
  }
}

// "0-3,8" -> 0 1 2 3 8; nothing unless they rise.
std::optional<std::vector<int>> radical(std::string_view text) {
  std::vector<int> all;
  const char *at = text.data(), *end = at + text.size();
  while (true) {
    int first = 0, last = 0;
    auto found = std::from_chars(at, end, first);
    last = first;
    if (found.ec == std::errc() && found.ptr != end && *found.ptr == '-')
      found = std::from_chars(found.ptr + 1, end, last);
    if (found.ec != std::errc() || last < first || last - first >= kMostHosts) return std::nullopt;
    if (!all.empty() && first <= all.back()) return std::nullopt;
    for (int number = first; number <= last; ++number) all.push_back(number);
    if (found.ptr == end) return all;
    if (*found.ptr != ',') return std::nullopt;
    at = found.ptr + 1;
  }
}

}  // namespace

double ClusterReader::bandwidth_Bps(const std::string& key) const {
  return cluster_.attributes.contains(key) ? xbt_parse_get_bandwidth(file_, 0, cluster_.attribute(key), key) : 0;
}

double ClusterReader::seconds(const std::string& key) const {
  return cluster_.attributes.contains(key) ? xbt_parse_get_time(file_, 0, cluster_.attribute(key), key) : 0;
}

bool ClusterReader::read_network(PlatformSpec& spec) const {
  if (cluster_.attribute("sharing_policy", "SPLITDUPLEX") != "SPLITDUPLEX" ||
      !cluster_.attribute("limiter_link").empty())
    return false;
  spec.bandwidth_Bps = bandwidth_Bps("bw");
  spec.latency_s = seconds("lat");
  spec.between_switches = spec.between_groups = {spec.bandwidth_Bps, spec.latency_s};
  const std::string topology = cluster_.attribute("topology", "FLAT");
  if (topology == "TORUS") return read_torus(spec);
  if (topology == "FAT_TREE") return read_fat_tree(spec);
  return topology == "FLAT" && read_star(spec);
}

bool ClusterReader::read_torus(PlatformSpec& spec) const {
  const auto shape = numbers(cluster_.attribute("topo_parameters"));
  if (!shape) return false;
  spec.family = PlatformFamily::torus;
  spec.shape = *shape;
  return true;
}

// "levels;downlinks;uplinks;cables", each from the hosts' side, whose own uplinks come first.
bool ClusterReader::read_fat_tree(PlatformSpec& spec) const {
  const std::string parameters = cluster_.attribute("topo_parameters");
  std::vector<std::vector<int>> parts;
  for (std::size_t at = 0; at <= parameters.size();) {
    const std::size_t end = std::min(parameters.find(';', at), parameters.size());
    const auto part = numbers(std::string_view(parameters).substr(at, end - at));
    if (!part) return false;
    parts.push_back(*part);
    at = end + 1;
  }
  if (parts.size() != 4 || parts[2].size() != parts[1].size() || parts[3].size() != parts[1].size()) return false;
  if (parts[2][0] != 1 || parts[3][0] != 1) return false;
  spec.family = PlatformFamily::fat_tree;
  spec.shape = parts[1];
  spec.uplinks.assign(parts[2].begin() + 1, parts[2].end());
  spec.cables.assign(parts[3].begin() + 1, parts[3].end());
  return true;
}

bool ClusterReader::read_star(PlatformSpec& spec) const {
  const auto hosts = radical(cluster_.attribute("radical"));
  if (!hosts) return false;
  spec.family = PlatformFamily::ethernet;
  spec.shape = {static_cast<int>(hosts->size())};
  if (bandwidth_Bps("bb_bw") > 0 || seconds("bb_lat") > 0) {
    if (cluster_.attribute("bb_sharing_policy", "SHARED") != "SHARED") return false;
    spec.backbone_Bps = bandwidth_Bps("bb_bw");
    spec.backbone_latency_s = seconds("bb_lat");
  }
  return true;
}

std::optional<FabricHosts> ClusterReader::read_hosts(std::int64_t count) const {
  const auto numbers_of_hosts = radical(cluster_.attribute("radical"));
  const std::string speed = cluster_.attribute("speed");
  if (!numbers_of_hosts || std::cmp_less(numbers_of_hosts->size(), count)) return std::nullopt;
  if (speed.find(',') != std::string::npos) return std::nullopt;  // several speeds to choose from
  FabricHosts hosts;
  for (std::int64_t i = 0; i < count; ++i)
    hosts.names.push_back(cluster_.attribute("prefix") +
                          std::to_string((*numbers_of_hosts)[static_cast<std::size_t>(i)]) +
                          cluster_.attribute("suffix"));
  if (!std::is_sorted(hosts.names.begin(), hosts.names.end(), natural_less)) return std::nullopt;
  hosts.flops_per_s = xbt_parse_get_speed(file_, 0, speed, "speed");
  hosts.cores =
      static_cast<int>(parse_integer("platform '" + file_ + "', core", cluster_.attribute("core", "1"), 1, kMostHosts));
  if (bandwidth_Bps("loopback_bw") > 0) hosts.inside = {bandwidth_Bps("loopback_bw"), seconds("loopback_lat")};
  for (const XmlElement& child : cluster_.children)
    if (child.name == "prop") hosts.properties.emplace(child.attribute("id"), child.attribute("value"));
  return hosts;
}

}  // namespace simtrain
