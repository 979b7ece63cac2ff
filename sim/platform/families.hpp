// One function per family of topologies; make_topology() (sim/platform/topology.hpp) chooses.
#pragma once

#include <memory>

#include "sim/platform/topology.hpp"

namespace simtrain {

// Host number = x + X (y + Y z ...). Routes go dimension by dimension, the shorter way round; where both are equally
// long, to the right from even coordinates and to the left from odd ones, so that both carry as much.
std::unique_ptr<Topology> make_torus(const PlatformSpec& spec);

// Up to the lowest switches that both hosts are below, and down. Which uplink of a switch is taken depends on the
// destination only (d-mod-k; E. Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real
// Life Fat Trees", CCIT report 776, 2010), so that permutations that shift all hosts do not contend.
std::unique_ptr<Topology> make_fat_tree(const PlatformSpec& spec);

// One switch, and the backbone inside it if it has one.
std::unique_ptr<Topology> make_star(const PlatformSpec& spec);

}  // namespace simtrain
