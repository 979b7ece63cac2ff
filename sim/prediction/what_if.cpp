#include "sim/prediction/what_if.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "report/json.hpp"
#include "sim/engine/workers.hpp"
#include "train/compute_cost.hpp"

namespace simtrain {

namespace {

// What a child answers: the seconds of an iteration, to the last bit.
std::string seconds_text(double seconds) { return nlohmann::json(seconds).dump(); }

struct Seconds {
  std::optional<double> seconds;
  std::string error;
};

Seconds seconds_of(const TaskOutcome& outcome) {
  if (outcome.kind == TaskOutcome::Kind::failure) throw Failure(outcome.text);
  if (outcome.kind == TaskOutcome::Kind::input_error) return {std::nullopt, outcome.text};
  return {nlohmann::json::parse(outcome.text).get<double>(), {}};
}

// The grids for hosts that are not slow.
std::vector<Grid> smaller_grids(Grid grid, std::int64_t slots) {
  if (slots >= grid.size()) return {grid};
  std::vector<Grid> grids;
  if (const auto rows = static_cast<int>(slots / grid.columns); rows > 0) grids.push_back({rows, grid.columns});
  if (const auto columns = static_cast<int>(slots / grid.rows); columns > 0) grids.push_back({grid.rows, columns});
  return grids;
}

}  // namespace

PredictionOptions times_only(PredictionOptions options) {
  options.timeline.reset();
  options.costs_of_slow_parts = false;
  options.bounds = false;
  options.real_numerics = false;
  return options;
}

PredictionOptions placed_as(PredictionOptions options, const std::string& placement) {
  if (options.placement.kind == Placement::Kind::automatic) options.placement = parse_placement_name(placement);
  return options;
}

std::vector<VariantTime> try_variants(const std::vector<Variant>& variants, int at_a_time) {
  const auto outcomes = run_all(variants.size(), at_a_time, [&](std::size_t i) {
    Job once = variants[i].job;
    once.iterations = 1;
    once.warm_up = 0;
    once.epochs = 0;
    PredictionOptions trial = times_only(variants[i].options);
    trial.detail = Detail::merged;
    trial.merge_if_possible = true;
    try {
      return seconds_text(predict(once, trial).iteration_s);
    } catch (const NotPlaceable& error) {
      return nlohmann::json("not possible: " + error.why()).dump();
    }
  });
  std::vector<VariantTime> times;
  for (const TaskOutcome& outcome : outcomes) {
    if (outcome.kind == TaskOutcome::Kind::failure) throw Failure(outcome.text);
    if (outcome.kind == TaskOutcome::Kind::input_error) {
      times.push_back({{}, outcome.text, true});
      continue;
    }
    const nlohmann::json answer = nlohmann::json::parse(outcome.text);
    if (answer.is_number())
      times.push_back({answer.get<double>(), {}, false});
    else
      times.push_back({{}, answer.get<std::string>(), false});
  }
  return times;
}

std::vector<PlacementTrial> try_placements(const Job& job, const PredictionOptions& options) {
  std::vector<Variant> variants;
  for (const Placement& placement : deterministic_placements()) {
    variants.push_back({job, options});
    variants.back().options.placement = placement;
  }
  const std::vector<VariantTime> times = try_variants(variants, options.processes);
  std::vector<PlacementTrial> trials;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].wrong_input) throw InputError(times[i].error);
    trials.push_back({name_of(variants[i].options.placement), times[i].iteration_s, times[i].error});
  }
  return trials;
}

Placement fastest_of(const std::vector<PlacementTrial>& trials) {
  const PlacementTrial* best = nullptr;
  for (const PlacementTrial& one : trials)
    if (one.iteration_s && (best == nullptr || *one.iteration_s < *best->iteration_s)) best = &one;
  SIMTRAIN_INVARIANT(best != nullptr, std::to_string(trials.size()) + " placements, none with a time");
  return parse_placement_name(best->placement);
}

Result predict_in_child(const Job& job, const PredictionOptions& options) {
  PredictionOptions itself = options;
  itself.costs_of_slow_parts = false;
  itself.bounds = false;
  const TaskOutcome outcome = run_all(1, 1, [&](std::size_t) { return to_json(predict(job, itself)); }).front();
  if (outcome.kind == TaskOutcome::Kind::input_error) throw InputError(outcome.text);
  if (outcome.kind == TaskOutcome::Kind::failure) throw Failure(outcome.text);
  return result_from_json("the simulation", outcome.text);
}

BoundsResult simulate_bounds(const Job& job, const PredictionOptions& options, const Result& result) {
  PredictionOptions other = placed_as(times_only(options), result.job.placement);
  other.detail = parse_detail("detail", result.job.detail);  // or the difference would be that of details too
  const std::array<LiftedLimits, 3> lifted{{{.contention = true},
                                            {.contention = true, .latency = true},
                                            {.contention = true, .latency = true, .bandwidth = true}}};
  std::array<double, 3> without{};  // these
  const auto outcomes = run_all(lifted.size(), options.processes, [&](std::size_t i) {
    other.lifted = lifted[i];
    return seconds_text(predict(job, other).iteration_s);
  });
  for (std::size_t i = 0; i < lifted.size(); ++i) {
    const Seconds seconds = seconds_of(outcomes[i]);
    if (!seconds.seconds) throw InputError(seconds.error);
    without[i] = *seconds.seconds;
  }
  const Plan plan = make_plan(job.network, job.plan);
  const std::shared_ptr<const Profile> known = load_profile(options);
  const Profile& profile = *known;
  const Load load{job.threads, result.profile->processes_per_node};
  PricedOperations prices(profile.at(load), options.compute_scale, profile.exceeded_by(load));
  BoundsResult bounds;
  bounds.computing_s = compute_cost(plan, prices).mean_s;
  bounds.slower_s = result.compute_s() - bounds.computing_s;
  constexpr double kRounding = 1e-9;
  if (std::fabs(bounds.slower_s) < kRounding * bounds.computing_s) bounds.slower_s = 0;
  bounds.adding_s = result.job.overlaps() ? 0 : result.reduction_s();
  bounds.contention_s = result.iteration_s - without[0];
  bounds.latency_s = without[0] - without[1];
  bounds.bandwidth_s = without[1] - without[2];
  bounds.waiting_s = without[2] - bounds.computing_s - bounds.slower_s - bounds.adding_s;
  return bounds;
}

Result predict_with_costs(const Job& job, const PredictionOptions& options) {
  Result result = predict_in_child(job, options);  // the grids of the others follow from it
  SlowPartsResult& parts = *result.slow_parts;

  PredictionOptions other = placed_as(times_only(options), result.job.placement);
  other.detail = parse_detail("detail", result.job.detail);  // or the difference would be that of details too
  std::vector<Grid> grids;
  if (parts.slow_hosts_used > 0) grids = smaller_grids(job.plan.grid, parts.healthy_slots);
  const auto outcomes = run_all(1 + grids.size(), options.processes, [&](std::size_t i) {
    Job changed = job;
    if (i == 0)
      other.slow_parts = {};
    else
      changed.plan.grid = grids[i - 1];
    other.leave_out_slow_hosts = i > 0;
    return seconds_text(predict(changed, other).iteration_s);
  });
  const Seconds healed = seconds_of(outcomes[0]);
  if (!healed.seconds) throw InputError(healed.error);
  parts.healed_s = healed.seconds;
  for (std::size_t i = 0; i < grids.size(); ++i) {
    const Seconds seconds = seconds_of(outcomes[i + 1]);
    parts.without.push_back({grids[i].rows, grids[i].columns, seconds.seconds, seconds.error});
  }
  return result;
}

}  // namespace simtrain
