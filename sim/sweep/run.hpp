// Simulates the points of a sweep in child processes: SimGrid's engine is one per process, and a simulation uses one
// core.
#pragma once

#include <map>
#include <vector>

#include "sim/prediction/replicas.hpp"
#include "sim/sweep/jobs.hpp"
#include "sim/sweep/ledger.hpp"

namespace simtrain {

using PointOutlooks = std::map<std::size_t, PointOutlook>;

// Simulates what is not settled of the points, those of `outlooks` (a share of the space), and notes it in the ledger.
// A simulation that fails is noted as well, the others go on. With inputs().pruned() the points are taken by growing
// lower bound, and those are skipped that cannot win. Shows its progress on stderr.
void run_points(const SweepJobs& jobs, const PointOutlooks& outlooks, const TaskLimits& limits, SweepLedger& ledger);

// Then the replicas of those that have a result.
void run_replicas(const SweepJobs& jobs, const PointOutlooks& outlooks, const ReplicaOptions& replicas,
                  const TaskLimits& limits, SweepLedger& ledger);

// The lower bounds of points that have none yet. Internal to run_points.
void run_bounds(const SweepJobs& jobs, const std::vector<std::size_t>& points, const TaskLimits& limits,
                SweepLedger& ledger);

}  // namespace simtrain
