// Predictions beside the one that was asked for: which placement is the fastest, what slow parts cost, what the
// network's limits cost; which strategy is the fastest, in sim/prediction/choose_strategy.hpp. Each runs in a child
// process, since a process can hold one simulation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.hpp"
#include "sim/prediction/prediction.hpp"

namespace simtrain {

// The same job, for nothing but the time of its iterations: no numbers, bounds, costs of slow parts, timeline.
PredictionOptions times_only(PredictionOptions options);
// Where an earlier result of the job was placed, of which this is the name, so that `auto` is decided once.
PredictionOptions placed_as(PredictionOptions options, const std::string& placement);

struct Variant {
  Job job;
  PredictionOptions options;
};
struct VariantTime {
  std::optional<double> iteration_s;  // none: it cannot be had, for this reason
  std::string error;
  bool wrong_input = false;  // not only that the hosts do not lie so that the placement can be had
};
// One iteration of each, without warm-up, rounds merged where that is possible; so many at a time, 0: one per core.
// Failure when a simulation fails.
std::vector<VariantTime> try_variants(const std::vector<Variant>& variants, int at_a_time);

// One iteration for each of deterministic_placements(), without warm-up, rounds merged where that is possible. In their
// order. InputError when the input is wrong for all of them, Failure when a simulation fails.
std::vector<PlacementTrial> try_placements(const Job& job, const PredictionOptions& options);

// The fastest one; of equally fast ones the first. Precondition: one at least has a time.
Placement fastest_of(const std::vector<PlacementTrial>& trials);

// The prediction with what its slow parts cost: the same job without any of them, and, when slow hosts hold ranks, the
// job on the other hosts only: on the same grid if they suffice, else on grids with as few rows, or as few columns,
// less as are needed. Errors of the prediction itself are thrown; those of the others are noted.
// Precondition: options.slow_parts.any().
Result predict_with_costs(const Job& job, const PredictionOptions& options);

// In a child, so that others can be simulated afterwards: without `bounds` and costs of slow parts.
Result predict_in_child(const Job& job, const PredictionOptions& options);

// Where the time of `result`, the prediction of this job, goes: by three more simulations, each of a network with one
// limit less. InputError and Failure as in predict().
BoundsResult simulate_bounds(const Job& job, const PredictionOptions& options, const Result& result);

}  // namespace simtrain
