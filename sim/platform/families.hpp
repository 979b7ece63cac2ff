// One function per family of topologies; make_topology() (sim/platform/topology.hpp) chooses.
#pragma once

#include <memory>

#include "sim/platform/topology.hpp"

namespace simtrain {

// Host number = x + X (y + Y z ...). Routes go dimension by dimension, the shorter way round; where both are equally
// long, to the right from even coordinates and to the left from odd ones, so that both carry as much.
std::unique_ptr<Topology> make_torus(const PlatformSpec& spec);

// Fat tree and leaf-spine. Up to the lowest switches that both hosts are below, and down. Which uplink of a switch is
// taken depends on the destination only (d-mod-k; E. Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift
// Permutations on Real Life Fat Trees", CCIT report 776, 2010), so that permutations that shift all hosts do not
// contend. Of parallel cables likewise.
std::unique_ptr<Topology> make_fat_tree(const PlatformSpec& spec);

// Groups of routers, joined all to all by equally many cables; sim/platform/dragonfly.cpp says which router has which.
// Routes are the shortest, and which of several is decided by the destination (minimal routing; J. Kim, W. J. Dally,
// S. Scott, D. Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008, section 4.1).
std::unique_ptr<Topology> make_dragonfly(const PlatformSpec& spec);

// One switch, and the backbone inside it if it has one.
std::unique_ptr<Topology> make_star(const PlatformSpec& spec);

}  // namespace simtrain
