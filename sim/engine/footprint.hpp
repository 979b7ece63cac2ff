// What simulating takes of this machine.
#pragma once

#include <cstdint>

namespace simtrain {

// Memory of a simulation of so many ranks, one on each host: a rough measure, from docs/performance.md.
double simulated_bytes(std::int64_t ranks);

// Failure when the simulation would need more than that.
void check_footprint(std::int64_t ranks);

}  // namespace simtrain
