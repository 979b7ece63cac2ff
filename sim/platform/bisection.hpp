// How much two halves of a network can send to each other.
#pragma once

#include <vector>

#include "sim/platform/topology.hpp"

namespace simtrain {

struct Bisection {
  double one_way_Bps = 0;    // from one half to the other, while nothing comes back
  double both_ways_Bps = 0;  // in both directions together; twice as much, unless a shared backbone limits it
};

// The most that the hosts of one part (second[host] false) can send to those of the other, over any paths: a maximum
// flow, equal to the narrowest cut of cables between them. Routes may do worse.
double flow_Bps(const Topology& topology, const std::vector<bool>& second);

// The narrowest of the topology's halves(). 0 with one host.
Bisection bisection(const Topology& topology);

}  // namespace simtrain
