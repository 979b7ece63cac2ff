#include "sim/sweep/assemble.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "sim/prediction/replicas.hpp"
#include "sim/sweep/sweep_passport.hpp"

namespace simtrain {

namespace {

const char* const kMissing = "missing: no results file has it; its share has not finished";

const std::string& value_of(const SweepInputs& inputs, const SpacePoint& point, const std::string& option) {
  const std::vector<SpaceDimension>& dimensions = inputs.space.dimensions;
  const auto found = std::find_if(dimensions.begin(), dimensions.end(),
                                  [&](const SpaceDimension& dimension) { return dimension.option == option; });
  return point.values.at(static_cast<std::size_t>(found - dimensions.begin()));
}

// The replicas of a point whose undisturbed result is there; the first one that failed, or what is missing, takes its
// place.
void add_replicas(const SweepInputs& inputs, const PointState& state, const std::string& trouble, SweepPoint& point) {
  const int count = inputs.replicas();
  if (count == 0 || !point.result) return;
  if (!state.replica_errors.empty()) {
    const auto& [replica, error] = *state.replica_errors.begin();
    point.error = "replica " + std::to_string(replica + 1) + ": " + error;
  } else if (state.replicas.size() < static_cast<std::size_t>(count)) {
    const std::size_t missing = static_cast<std::size_t>(count) - state.replicas.size();
    point.error = trouble.empty()
                      ? "missing: " + std::to_string(missing) + " of its " + std::to_string(count) + " replicas"
                      : trouble;
    point.failed = true;
  } else {
    ReplicasResult replicas{point.result->job.seed, parse_node_spread(inputs.options.at("node-spread")), {}};
    for (const auto& [replica, seconds] : state.replicas) replicas.iteration_seconds.push_back(seconds);
    point.result->replicas = std::move(replicas);
  }
  if (!point.error.empty()) point.result.reset();
}

SweepPoint point_of(const SweepInputs& inputs, const SpacePoint& place, const PointState& state,
                    const std::string& trouble) {
  SweepPoint point{place.grid.rows, place.grid.columns, place.values, {}, {}};
  point.lower_bound_s = state.lower_bound_s;
  if (state.result) {
    point.result = state.result;
    add_replicas(inputs, state, trouble, point);
  } else if (state.error) {
    point.error = *state.error;
  } else {
    point.error = trouble.empty() ? kMissing : trouble;
    point.failed = true;
  }
  return point;
}

}  // namespace

double images_compared(const SweepInputs& inputs, const SpacePoint& point) {
  for (const SpaceDimension& dimension : inputs.space.dimensions)
    if (dimension.option == "batch" && dimension.values.size() > 1)
      return static_cast<double>(parse_integer("--batch", value_of(inputs, point, "batch"), 1, INT32_MAX));
  return 1;
}

void FastestSoFar::note(const SpacePoint& point, double iteration_s) {
  const double cost_s = iteration_s / images_compared(inputs_, point);
  const auto [place, added] = best_s_.try_emplace(value_of(inputs_, point, "network"), cost_s);
  if (!added) place->second = std::min(place->second, cost_s);
}

bool FastestSoFar::beats(const SpacePoint& point, double lower_bound_s) const {
  const auto found = best_s_.find(value_of(inputs_, point, "network"));
  return found != best_s_.end() && lower_bound_s / images_compared(inputs_, point) > found->second;
}

Sweep assemble(const SweepInputs& inputs, const PointStates& states,
               const std::map<std::size_t, std::string>& troubles) {
  Sweep sweep;
  for (const SpaceDimension& dimension : inputs.space.dimensions)
    sweep.dimensions.push_back({dimension.option, dimension.values});
  FastestSoFar fastest(inputs);
  const PointState unknown;
  for (std::size_t i = 0; i < inputs.space.size(); ++i) {
    const SpacePoint place = inputs.space.point(i);
    const auto state = states.find(i);
    const auto trouble = troubles.find(i);
    sweep.points.push_back(point_of(inputs, place, state == states.end() ? unknown : state->second,
                                    trouble == troubles.end() ? "" : trouble->second));
    if (sweep.points.back().result) fastest.note(place, sweep.points.back().result->iteration_s);
  }
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    SweepPoint& point = sweep.points[i];
    // Errors of simulations too: whether it got so far is chance.
    if (!point.lower_bound_s || !fastest.beats(inputs.space.point(i), *point.lower_bound_s)) continue;
    point.result.reset();
    point.error.clear();
    point.failed = false;
    point.skipped = true;
  }
  sweep.passport = passport_of(inputs);
  return sweep;
}

}  // namespace simtrain
