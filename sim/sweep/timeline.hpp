// What some ranks of a sweep's fastest point do, for its page: results of points have no timelines, which would be most
// of a results file, so that the point is simulated once more.
#pragma once

#include <functional>
#include <string>

#include "report/sweep.hpp"
#include "sim/sweep/jobs.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

// `in_child`: runs in the child process whatever it is handed, as SweepLedger::in_child. Says on a terminal that it is
// at work. Never throws for what is wrong with the simulation: the answer says it. Nothing without a ranked point.
FastestTimeline timeline_of_fastest(const Sweep& sweep, const SweepJobs& jobs,
                                    const std::function<std::string(const std::function<std::string()>&)>& in_child);

// The same by the header of a results file; where files that the sweep was made from are not here, or are not what they
// were, the answer says so.
FastestTimeline timeline_of_fastest(const Sweep& sweep, const std::string& path, const SweepInputs& inputs);

}  // namespace simtrain
