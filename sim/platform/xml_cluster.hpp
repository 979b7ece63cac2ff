// Platform files whose only content is one <cluster> that is one of our topologies.
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

// What a file holds that passed check_platform_xml() (sim/platform/xml.hpp), or nothing, if it holds anything but zones
// around one cluster with full-duplex links: of topology TORUS; FAT_TREE, whose hosts have one uplink of one cable;
// FLAT, with a shared backbone or none. Routes have as many links as SimGrid's. Host numbers must rise along `radical`.
std::optional<XmlCluster> read_xml_cluster(const std::string& file, std::string_view text);

// The line of the only <cluster> in a file, or nothing: what SimGrid means when it gives up without naming a line.
std::optional<unsigned long> line_of_only_cluster(std::string_view text);

}  // namespace simtrain
