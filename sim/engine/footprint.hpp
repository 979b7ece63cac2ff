// What simulating takes of this machine.
#pragma once

#include <cstdint>
#include <optional>

namespace simtrain {

// Memory of a simulation of so many ranks, one on each host: a rough measure, from docs/performance.md.
double simulated_bytes(std::int64_t ranks);

// Memory that processes can still have, by Linux; none where it does not tell.
std::optional<double> available_bytes();

// Failure when the simulation would need more than that.
void check_footprint(std::int64_t ranks);

}  // namespace simtrain
