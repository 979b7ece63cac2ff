// What a prediction's result says beside its times: platform, profile, formulas, memory of hosts, use of links.
#pragma once

#include <optional>
#include <vector>

#include "calibrate/kernel_times.hpp"
#include "calibrate/profile.hpp"
#include "kernels/modelled.hpp"
#include "report/result.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/prediction/prediction.hpp"
#include "train/plan.hpp"

namespace simtrain {

class CalibratedNetwork;  // sim/engine/network_model.hpp

// alpha and beta for the formulas: what the job's own messages meet on this platform, before any link is degraded.
PlatformResult describe_platform(const Simulation& simulation, const Plan& plan, const std::vector<int>& hosts,
                                 const PredictionOptions& options);

// InputError when most of the messages' time is of sizes that were not measured.
void describe_network(const CalibratedNetwork& network, bool extrapolate, PlatformResult& result);

ProfileResult describe_profile(const Profile& profile, const Load& load, double compute_scale);

// What the schedules take without contention, and what the paper's formula says, for each layer of the result.
void add_formulas(const Plan& plan, PricedOperations& prices, const PlatformResult& platform, Result& result);

// The host whose ranks together need most.
void add_host_memory(const Plan& plan, const std::vector<int>& host_of_rank, MemoryResult& memory);

// InputError when they need more than it has; nothing when nobody knows what it has.
void check_host_memory(const Plan& plan, const std::vector<int>& host_of_rank, const std::optional<double>& host_bytes);

// From what links carried in all iterations since Simulation::count_from_now(). Every iteration sends the same
// messages, so that one of them carries the same share of it, whether it was timed or warmed up.
LinksResult describe_links(const Simulation& simulation, int iterations, double iteration_s);

}  // namespace simtrain
