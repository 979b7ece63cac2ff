#include "sim/prediction/what_if.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "report/json.hpp"
#include "sim/engine/workers.hpp"

namespace simtrain {

namespace {

// The outcomes of tasks 0 ... count - 1, in their order.
std::vector<TaskOutcome> run_all(std::size_t count, int at_a_time,
                                 const std::function<std::string(std::size_t)>& work) {
  const auto most = static_cast<std::size_t>(
      at_a_time > 0 ? at_a_time : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<TaskOutcome> outcomes(count);
  Workers running;
  for (std::size_t started = 0, done = 0; done < count; ++done) {
    for (; started < count && running.running() < most; ++started)
      running.start(started, [&] { return work(started); });
    TaskOutcome outcome = running.next_done();
    const std::size_t task = outcome.task;
    outcomes[task] = std::move(outcome);
  }
  return outcomes;
}

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

// Nothing but the time of iterations is asked for.
PredictionOptions alone(PredictionOptions options) {
  options.timeline.reset();
  options.costs_of_slow_parts = false;
  options.real_numerics = false;
  return options;
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

std::vector<PlacementTrial> try_placements(const Job& job, const PredictionOptions& options) {
  const std::vector<Placement> placements = deterministic_placements();
  Job once = job;
  once.iterations = 1;
  once.warm_up = 0;
  once.epochs = 0;
  PredictionOptions trial = alone(options);
  trial.detail = Detail::merged;
  trial.merge_if_possible = true;
  const auto outcomes = run_all(placements.size(), options.processes, [&](std::size_t i) {
    trial.placement = placements[i];
    try {
      return seconds_text(predict(once, trial).iteration_s);
    } catch (const NotPlaceable& error) {
      return nlohmann::json(error.what()).dump();
    }
  });
  std::vector<PlacementTrial> trials;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].kind == TaskOutcome::Kind::input_error) throw InputError(outcomes[i].text);
    if (outcomes[i].kind == TaskOutcome::Kind::failure) throw Failure(outcomes[i].text);
    const nlohmann::json answer = nlohmann::json::parse(outcomes[i].text);
    trials.push_back({name_of(placements[i]), {}, {}});
    if (answer.is_number())
      trials.back().iteration_s = answer.get<double>();
    else
      trials.back().error = answer.get<std::string>();
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

Result predict_with_costs(const Job& job, const PredictionOptions& options) {
  // In a child as well: the grids of the others follow from its result, and only one simulation fits in here.
  PredictionOptions itself = options;
  itself.costs_of_slow_parts = false;
  const TaskOutcome first = run_all(1, 1, [&](std::size_t) { return to_json(predict(job, itself)); }).front();
  if (first.kind == TaskOutcome::Kind::input_error) throw InputError(first.text);
  if (first.kind == TaskOutcome::Kind::failure) throw Failure(first.text);
  Result result = result_from_json("the simulation", first.text);
  SlowPartsResult& parts = *result.slow_parts;

  PredictionOptions other = alone(options);
  other.placement = parse_placement_name(result.job.placement);
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
