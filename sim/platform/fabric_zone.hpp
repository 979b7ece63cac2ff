// A topology of ours as a network zone of SimGrid's, instead of one of its own, for three reasons
// (docs/decisions/0011-topologies.md):
//   - SimGrid's model shares a link among flows in inverse proportion to the latencies of their routes. Here all routes
//     report the same latency, so that links are shared equally, and messages are told their own by the latency factor
//     (SimulatedNetwork, sim/engine/network.hpp).
//   - Links are known by their place, for the utilisation of each.
//   - Routes are computed, not stored: 65 536 hosts of a fat tree are there in a second.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/platform/topology.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u

namespace simtrain {

// What SimGrid believes to be the latency of every route, loopbacks included. The value itself is arbitrary; of flows
// without any latency SimGrid takes the weight to be 1, so that those are shared with equally too.
inline constexpr double kReportedLatency_s = 1;

struct Fabric {
  std::vector<simgrid::s4u::Host*> hosts;  // by their numbers in the topology
  std::vector<simgrid::s4u::Link*> links;  // likewise; without what is inside hosts
};

// The hosts, which are all alike.
struct FabricHosts {
  std::vector<std::string> names;  // by number; none: host-0, host-1, …
  std::unordered_map<std::string, std::string> properties;
  double flops_per_s = 0;
  int cores = 1;
  std::optional<LinkFigures> inside;       // of each message between ranks of a host; none: a host holds one rank
  std::optional<double> inside_total_Bps;  // of all such messages of a host together; none: unlimited
};

// Adds hosts and links to an engine that has no platform yet; the zone keeps the topology.
Fabric add_fabric(simgrid::s4u::Engine& engine, const std::shared_ptr<const Topology>& topology,
                  const FabricHosts& hosts);

}  // namespace simtrain
