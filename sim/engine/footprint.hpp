// What simulating takes of this machine.
#pragma once

#include <cstdint>

namespace simtrain {

// Memory of a simulation of so many ranks, one on each host: a rough measure, from docs/performance.md.
double simulated_bytes(std::int64_t ranks);

// Failure when the simulation would need more than that.
void check_footprint(std::int64_t ranks);

// Gives back the pages of libraries that did nothing but start: Debian's SimGrid brings ns-3, whose initialisation
// reads 20 MiB of its files. Who needs one again gets it from the file.
void release_started_libraries();

}  // namespace simtrain
