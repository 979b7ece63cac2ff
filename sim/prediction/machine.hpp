// The loaded platform as placements and slow parts see it.
#pragma once

#include <vector>

#include "report/result.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/placement/host_space.hpp"
#include "sim/placement/slow_parts.hpp"

namespace simtrain {

// With `nearness`, its torus and groups too, for which the routes of all hosts are looked at.
HostSpace host_space(const Simulation& simulation, bool nearness);

// InputError as in sim/placement/slow_parts.hpp.
SlowParts find_slow_parts(const Simulation& simulation, const SlowPartsOptions& options);

// Its slow hosts are to hold no ranks.
void leave_out(const SlowParts& slow, HostSpace& space);

// How many times longer than usual a rank on this host computes: 1 if it is not slow.
double slowness(const SlowParts& slow, int host);

// Whether all ranks compute equally fast, those included that are more than the cores of their host, and no link is
// degraded: else rings get out of step.
bool is_uniform(const Simulation& simulation, const SlowParts& slow, const std::vector<int>& host_of_rank);

// All but what simulations tell: healthy slots, costs.
SlowPartsResult describe_slow_parts(const Simulation& simulation, const SlowPartsOptions& options,
                                    const SlowParts& slow, const std::vector<int>& host_of_rank);

}  // namespace simtrain
