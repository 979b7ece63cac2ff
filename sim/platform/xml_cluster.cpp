#include "sim/platform/xml_cluster.hpp"

#include <algorithm>
#include <set>
#include <xbt/parse_units.hpp>

#include "base/error.hpp"
#include "base/units.hpp"
#include "sim/platform/cluster_reader.hpp"
#include "sim/platform/shape_checks.hpp"
#include "sim/platform/xml.hpp"
#include "sim/platform/xml_element.hpp"

namespace simtrain {

namespace {

using Elements = std::vector<const XmlElement*>;

// Those of that name, at any depth, in the order of the text.
void collect(const XmlElement& from, std::string_view name, Elements& found) {
  if (from.name == name) found.push_back(&from);
  for (const XmlElement& child : from.children) collect(child, name, found);
}
Elements all_of(const XmlElement& from, std::string_view name) {
  Elements found;
  collect(from, name, found);
  return found;
}
Elements children_of(const XmlElement& of, std::string_view name) {
  Elements found;
  for (const XmlElement& child : of.children)
    if (child.name == name) found.push_back(&child);
  return found;
}

// Whether there are none but elements of these names in it, at any depth.
bool holds_only(const XmlElement& element, const std::set<std::string_view>& names) {
  return std::all_of(element.children.begin(), element.children.end(),
                     [&](const XmlElement& child) { return names.contains(child.name) && holds_only(child, names); });
}

std::string property(const XmlElement& of, const std::string& id) {
  for (const XmlElement& child : of.children)
    if (child.name == "prop" && child.attribute("id") == id) return child.attribute("value");
  return {};
}

// The first zone's that has one, else the cluster's.
std::string description_of(const XmlElement& root, const XmlElement& cluster, std::int64_t hosts) {
  for (const XmlElement* zone : all_of(root, "zone"))
    if (std::string text = property(*zone, "description"); !text.empty()) return text;
  const std::string own = property(cluster, "description");
  return own.empty() ? std::to_string(hosts) + " hosts" : own;
}

bool can_be_built(const PlatformSpec& spec) {
  try {
    check_hosts("", spec);
    check_switches("", spec);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

std::optional<XmlCluster> read_one(const std::string& file, const XmlElement& root) {
  const Elements clusters = all_of(root, "cluster");
  if (clusters.size() != 1 || !holds_only(root, {"zone", "prop", "cluster"})) return std::nullopt;
  const ClusterReader reader(file, *clusters.front());
  XmlCluster found;
  if (!reader.read_network(found.spec) || !can_be_built(found.spec)) return std::nullopt;
  std::optional<FabricHosts> hosts = reader.read_hosts(found.spec.hosts());
  if (!hosts) return std::nullopt;
  found.hosts = std::move(*hosts);
  found.description = description_of(root, *clusters.front(), found.spec.hosts());
  return found;
}

// But for what names a cluster and its hosts.
bool alike(const XmlElement& a, const XmlElement& b) {
  const auto shared = [](const XmlElement& cluster) {
    auto attributes = cluster.attributes;
    for (const char* own : {"id", "radical", "router_id"}) attributes.erase(own);
    return attributes;
  };
  const auto properties = [](const XmlElement& cluster) {
    std::vector<std::map<std::string, std::string>> all;
    for (const XmlElement& child : cluster.children) all.push_back(child.attributes);
    return all;
  };
  return shared(a) == shared(b) && properties(a) == properties(b);
}

// The cables from leaf switches to the router of the zone `core`: alike, one for each cluster.
std::optional<LinkFigures> read_uplinks(const std::string& file, const XmlElement& zone, const XmlElement& core) {
  const Elements clusters = children_of(zone, "cluster"), links = children_of(zone, "link");
  const Elements routes = children_of(zone, "zoneRoute"), routers = children_of(core, "router");
  if (core.children.size() != 1 || routers.size() != 1) return std::nullopt;
  if (links.size() != clusters.size() || routes.size() != clusters.size()) return std::nullopt;
  std::set<std::string> ends, cables;
  for (const XmlElement* route : routes) {
    const bool to_core = route->attribute("dst") == core.attribute("id") &&
                         route->attribute("gw_dst") == routers.front()->attribute("id");
    if (!to_core || route->attribute("symmetrical", "YES") != "YES" || route->children.size() != 1) return std::nullopt;
    const XmlElement& cable = route->children.front();
    if (cable.name != "link_ctn" || cable.attribute("direction") != "UP") return std::nullopt;
    ends.insert(route->attribute("src"));
    cables.insert(cable.attribute("id"));
  }
  for (const XmlElement* cluster : clusters)
    if (!ends.contains(cluster->attribute("id"))) return std::nullopt;
  const auto figures = [&](const XmlElement& link) {
    return std::pair{
        xbt_parse_get_bandwidth(file, static_cast<int>(link.line), link.attribute("bandwidth"), "bandwidth"),
        xbt_parse_get_time(file, static_cast<int>(link.line), link.attribute("latency"), "latency")};
  };
  for (const XmlElement* link : links)
    if (!cables.contains(link->attribute("id")) || link->attribute("sharing_policy") != "SPLITDUPLEX" ||
        !link->children.empty() || figures(*link) != figures(*links.front()))
      return std::nullopt;
  const auto [bandwidth_Bps, latency_s] = figures(*links.front());
  return LinkFigures{bandwidth_Bps, latency_s};
}

std::optional<XmlCluster> read_leaves(const std::string& file, const XmlElement& root) {
  const Elements outer = children_of(root, "zone");
  if (root.children.size() != 1 || outer.size() != 1) return std::nullopt;
  const XmlElement& zone = *outer.front();
  const Elements clusters = children_of(zone, "cluster"), inner = children_of(zone, "zone");
  if (clusters.size() < 2 || inner.size() != 1 ||
      !holds_only(zone, {"prop", "cluster", "zone", "router", "link", "zoneRoute", "link_ctn"}))
    return std::nullopt;
  const std::optional<LinkFigures> uplink = read_uplinks(file, zone, *inner.front());
  if (!uplink) return std::nullopt;
  XmlCluster found;
  for (const XmlElement* cluster : clusters) {
    const ClusterReader reader(file, *cluster);
    PlatformSpec leaf;
    if (!alike(*cluster, *clusters.front()) || !reader.read_network(leaf)) return std::nullopt;
    if (leaf.family != PlatformFamily::ethernet || leaf.backbone_Bps) return std::nullopt;
    std::optional<FabricHosts> hosts = reader.read_hosts(leaf.hosts());
    if (!hosts) return std::nullopt;
    if (cluster == clusters.front()) {
      found.spec = leaf;
      found.hosts = std::move(*hosts);
      continue;
    }
    if (leaf.shape != found.spec.shape || !natural_less(found.hosts.names.back(), hosts->names.front()))
      return std::nullopt;
    found.hosts.names.insert(found.hosts.names.end(), hosts->names.begin(), hosts->names.end());
  }
  found.spec.family = PlatformFamily::leaf_spine;
  found.spec.shape = {static_cast<int>(clusters.size()), found.spec.shape.front()};
  found.spec.uplinks = {1};
  found.spec.cables = {1};
  found.spec.between_switches = *uplink;
  if (!can_be_built(found.spec)) return std::nullopt;
  found.description = description_of(root, *clusters.front(), found.spec.hosts());
  return found;
}

}  // namespace

std::optional<unsigned long> line_of_only_cluster(std::string_view text) {
  const XmlElement root = parse_xml(text);
  const Elements clusters = all_of(root, "cluster");
  return clusters.size() == 1 ? std::optional(clusters.front()->line) : std::nullopt;
}

std::optional<UnknownRouting> find_unknown_routing(std::string_view text) {
  static const std::set<std::string_view> known{"Cluster", "Dijkstra", "DijkstraCache", "Empty",   "Floyd",
                                                "Full",    "None",     "Star",          "Vivaldi", "Wifi"};
  const XmlElement root = parse_xml(text);
  for (const XmlElement* zone : all_of(root, "zone"))
    if (const std::string routing = zone->attribute("routing"); !known.contains(routing))
      return UnknownRouting{zone->line, routing};
  return std::nullopt;
}

std::optional<XmlCluster> read_xml_cluster(const std::string& file, std::string_view text) {
  const XmlElement root = parse_xml(text);
  std::optional<XmlCluster> found = read_one(file, root);
  if (!found) found = read_leaves(file, root);
  if (!found) return std::nullopt;
  const auto& properties = found->hosts.properties;
  if (const auto memory = properties.find("memory"); memory != properties.end())
    found->spec.memory_bytes = parse_bytes("platform '" + file + "', property 'memory'", memory->second);
  return found;
}

}  // namespace simtrain
