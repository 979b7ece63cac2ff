#include "sim/platform/xml_cluster.hpp"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <xbt/parse_units.hpp>

#include "base/error.hpp"
#include "base/units.hpp"
#include "sim/platform/shape_checks.hpp"
#include "sim/platform/xml.hpp"

namespace simtrain {

namespace {

using Attributes = std::map<std::string, std::string>;

// The cluster as it stands in the file; `plain` turns false at the first thing beside it.
struct Contents {
  XML_Parser parser = nullptr;
  bool plain = true, in_cluster = false;
  int clusters = 0;
  unsigned long line = 0;  // of the last cluster
  Attributes cluster;
  std::unordered_map<std::string, std::string> properties;  // of the cluster
  std::string description;                                  // of a zone

  void property(const Attributes& attributes) {
    const std::string &id = attributes.at("id"), &value = attributes.at("value");
    if (in_cluster)
      properties.emplace(id, value);
    else if (id == "description" && description.empty())
      description = value;
  }
};

void on_start(void* data, const XML_Char* name, const XML_Char** pairs) {
  auto& contents = *static_cast<Contents*>(data);
  Attributes attributes;
  for (; *pairs != nullptr; pairs += 2) attributes.emplace(pairs[0], pairs[1]);
  const std::string_view element = name;
  if (element == "cluster") {
    ++contents.clusters;
    contents.line = XML_GetCurrentLineNumber(contents.parser);
    contents.in_cluster = true;
    contents.cluster = attributes;
  } else if (element == "prop" && attributes.contains("id") && attributes.contains("value")) {
    contents.property(attributes);
  } else if (element != "platform" && element != "zone") {
    contents.plain = false;
  }
}

void on_end(void* data, const XML_Char* name) {
  if (std::string_view(name) == "cluster") static_cast<Contents*>(data)->in_cluster = false;
}

Contents read(std::string_view text) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                                             &XML_ParserFree);
  Contents contents;
  contents.parser = parser.get();
  XML_SetUserData(parser.get(), &contents);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) != XML_STATUS_OK)
    contents.plain = false;
  return contents;
}

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

class ClusterReader {
 public:
  ClusterReader(const std::string& file, const Attributes& attributes) : file_(file), attributes_(attributes) {}

  // False when the cluster is none of ours.
  bool read_network(PlatformSpec& spec) const {
    if (text("sharing_policy", "SPLITDUPLEX") != "SPLITDUPLEX" || !text("limiter_link", "").empty()) return false;
    spec.bandwidth_Bps = bandwidth_Bps("bw");
    spec.latency_s = seconds("lat");
    spec.between_switches = spec.between_groups = {spec.bandwidth_Bps, spec.latency_s};
    const std::string topology = text("topology", "FLAT");
    if (topology == "TORUS") return read_torus(spec);
    if (topology == "FAT_TREE") return read_fat_tree(spec);
    return topology == "FLAT" && read_star(spec);
  }

  // Of so many hosts as the network has, or nothing.
  [[nodiscard]] std::optional<FabricHosts> read_hosts(std::int64_t count) const {
    const auto numbers_of_hosts = radical(text("radical", ""));
    const std::string speed = text("speed", "");
    if (!numbers_of_hosts || std::cmp_less(numbers_of_hosts->size(), count)) return std::nullopt;
    if (speed.find(',') != std::string::npos) return std::nullopt;  // several speeds to choose from
    FabricHosts hosts;
    for (std::int64_t i = 0; i < count; ++i)
      hosts.names.push_back(text("prefix", "") + std::to_string((*numbers_of_hosts)[static_cast<std::size_t>(i)]) +
                            text("suffix", ""));
    if (!std::is_sorted(hosts.names.begin(), hosts.names.end(), natural_less)) return std::nullopt;
    hosts.flops_per_s = xbt_parse_get_speed(file_, 0, speed, "speed");
    hosts.cores = static_cast<int>(parse_integer("platform '" + file_ + "', core", text("core", "1"), 1, kMostHosts));
    if (bandwidth_Bps("loopback_bw") > 0) hosts.inside = {bandwidth_Bps("loopback_bw"), seconds("loopback_lat")};
    return hosts;
  }

 private:
  [[nodiscard]] std::string text(const std::string& key, const std::string& fallback) const {
    const auto found = attributes_.find(key);
    return found == attributes_.end() ? fallback : found->second;
  }
  // SimGrid's own reading of units.
  [[nodiscard]] double bandwidth_Bps(const std::string& key) const {
    return attributes_.contains(key) ? xbt_parse_get_bandwidth(file_, 0, text(key, ""), key) : 0;
  }
  [[nodiscard]] double seconds(const std::string& key) const {
    return attributes_.contains(key) ? xbt_parse_get_time(file_, 0, text(key, ""), key) : 0;
  }

  bool read_torus(PlatformSpec& spec) const {
    const auto shape = numbers(text("topo_parameters", ""));
    if (!shape) return false;
    spec.family = PlatformFamily::torus;
    spec.shape = *shape;
    return true;
  }

  // "levels;downlinks;uplinks;cables", each from the hosts' side, whose own uplinks come first.
  bool read_fat_tree(PlatformSpec& spec) const {
    const std::string parameters = text("topo_parameters", "");
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

  bool read_star(PlatformSpec& spec) const {
    const auto hosts = radical(text("radical", ""));
    if (!hosts) return false;
    spec.family = PlatformFamily::ethernet;
    spec.shape = {static_cast<int>(hosts->size())};
    if (bandwidth_Bps("bb_bw") > 0 || seconds("bb_lat") > 0) {
      if (text("bb_sharing_policy", "SHARED") != "SHARED") return false;
      spec.backbone_Bps = bandwidth_Bps("bb_bw");
      spec.backbone_latency_s = seconds("bb_lat");
    }
    return true;
  }

  const std::string& file_;
  const Attributes& attributes_;
};

bool can_be_built(const PlatformSpec& spec) {
  try {
    check_hosts("", spec);
    check_switches("", spec);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::optional<unsigned long> line_of_only_cluster(std::string_view text) {
  const Contents contents = read(text);
  return contents.clusters == 1 ? std::optional(contents.line) : std::nullopt;
}

std::optional<XmlCluster> read_xml_cluster(const std::string& file, std::string_view text) {
  const Contents contents = read(text);
  if (!contents.plain || contents.clusters != 1) return std::nullopt;
  const ClusterReader reader(file, contents.cluster);
  XmlCluster cluster;
  if (!reader.read_network(cluster.spec) || !can_be_built(cluster.spec)) return std::nullopt;
  std::optional<FabricHosts> hosts = reader.read_hosts(cluster.spec.hosts());
  if (!hosts) return std::nullopt;
  cluster.hosts = std::move(*hosts);
  cluster.hosts.properties = contents.properties;
  if (const auto memory = contents.properties.find("memory"); memory != contents.properties.end())
    cluster.spec.memory_bytes = parse_bytes("platform '" + file + "', property 'memory'", memory->second);
  cluster.description = contents.description;
  if (const auto own = contents.properties.find("description"); cluster.description.empty())
    cluster.description =
        own != contents.properties.end() ? own->second : std::to_string(cluster.spec.hosts()) + " hosts";
  return cluster;
}

}  // namespace simtrain
