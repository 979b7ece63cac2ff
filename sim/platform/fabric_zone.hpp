// A topology of ours as a network zone of SimGrid's, instead of one of its own, for three reasons
// (docs/decisions/0011-topologies.md):
//   - SimGrid's model shares a link among flows in inverse proportion to the latencies of their routes. Here all routes
//     report the same latency, so that links are shared equally, and messages are told their own by the latency factor
//     (Network, sim/network.hpp).
//   - Links are known by their place, for the utilisation of each.
//   - Routes are computed, not stored: 65 536 hosts of a fat tree are there in a second.
#pragma once

#include <functional>
#include <memory>
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
  std::vector<simgrid::s4u::Link*> links;  // likewise
};

struct FabricFigures {
  double flops_per_s = 0;
  int cores = 1;
  double loopback_bandwidth_Bps = 0, loopback_latency_s = 0;  // between ranks of a host
};

// Adds the hosts host-0, host-1, … and the links of the topology, which the zone keeps, to an engine that has no
// platform yet. `describe` is called for each host before it is sealed.
Fabric add_fabric(simgrid::s4u::Engine& engine, const std::shared_ptr<const Topology>& topology,
                  const FabricFigures& figures, const std::function<void(simgrid::s4u::Host&)>& describe);

}  // namespace simtrain
