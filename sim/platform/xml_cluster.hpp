// Platform files whose content is one of our topologies: one <cluster>, or equal ones around a switch.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/platform/fabric_zone.hpp"
#include "sim/platform/spec.hpp"

namespace simtrain {

struct XmlCluster {
  PlatformSpec spec;
  FabricHosts hosts;        // names, properties, cores, loopback as in the file
  std::string description;  // the property of that name of a zone or of the cluster, or "N hosts"
};

// What a file holds that passed check_platform_xml() (sim/platform/xml.hpp), or nothing, if it is neither of these:
//   - zones around one cluster with full-duplex links: of topology TORUS; FAT_TREE, whose hosts have one uplink of one
//     cable; FLAT, with a shared backbone or none.
//   - one zone with FLAT clusters that differ in nothing but their hosts' numbers and have no backbone, a zone with one
//     router, and from each cluster to it a route over one full-duplex link of its own, all alike: leaf switches and a
//     spine.
// Routes have as many links as SimGrid's. Host numbers must rise along `radical`, and from cluster to cluster.
std::optional<XmlCluster> read_xml_cluster(const std::string& file, std::string_view text);

// The line of the only <cluster> in a file, or nothing: what SimGrid means when it gives up without naming a line.
std::optional<unsigned long> line_of_only_cluster(std::string_view text);

// The first <zone> whose routing is none that SimGrid's documentation lists, or nothing.
struct UnknownRouting {
  unsigned long line;
  std::string name;
};
std::optional<UnknownRouting> find_unknown_routing(std::string_view text);

}  // namespace simtrain
