// One <cluster> of a platform file, as a topology of ours and its hosts.
#pragma once

#include <optional>
#include <string>

#include "sim/platform/fabric_zone.hpp"
#include "sim/platform/spec.hpp"
#include "sim/platform/xml_element.hpp"

namespace simtrain {

class ClusterReader {
 public:
  // Both must outlive it. `file`: for messages.
  ClusterReader(const std::string& file, const XmlElement& cluster) : file_(file), cluster_(cluster) {}

  // Family, shape, bandwidths and latencies; false when the cluster is none of ours (sim/platform/xml_cluster.hpp).
  bool read_network(PlatformSpec& spec) const;

  // The hosts of the numbers in `radical`, as many as the network has, with properties; nothing when there are fewer,
  // when they do not rise, or have several speeds.
  [[nodiscard]] std::optional<FabricHosts> read_hosts(std::int64_t count) const;

 private:
  // SimGrid's own reading of units.
  [[nodiscard]] double bandwidth_Bps(const std::string& key) const;
  [[nodiscard]] double seconds(const std::string& key) const;
  bool read_torus(PlatformSpec& spec) const;
  bool read_fat_tree(PlatformSpec& spec) const;
  bool read_star(PlatformSpec& spec) const;

  const std::string& file_;
  const XmlElement& cluster_;
};

}  // namespace simtrain
