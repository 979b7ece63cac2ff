// Blocks of hosts near each other.
#pragma once

#include <vector>

#include "sim/placement/host_space.hpp"

namespace simtrain {

// Hosts of a torus along a boustrophedon: host x + X (y + Y z ...), x to and fro.
// 3x2: 0 1 2 5 4 3.
std::vector<int> snake_through(const std::vector<int>& torus);

// `count` blocks, each with at least `size` hosts that are not left out, in an order in which blocks that follow each
// other are near, and so are the hosts of a block. Of a torus: boxes of equal shape, of those with the fewest hosts the
// one with the shortest way between its corners. Else: consecutive hosts, whole groups where a block is larger than one
// and groups suffice, and no block in two groups when it fits into one. Empty when there are fewer.
std::vector<std::vector<int>> find_blocks(const HostSpace& space, int size, int count);

}  // namespace simtrain
