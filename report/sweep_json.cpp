// A sweep as JSON: docs/sweep.schema.json.
#include "base/units.hpp"
#include "report/json_value.hpp"
#include "report/passport_json.hpp"
#include "report/sections.hpp"
#include "report/sweep.hpp"
#include "report/sweep_ranking.hpp"
#include "report/sweep_replicas.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

constexpr int kSweepSchemaVersion = 2;

// The grid, and what else tells the point from others.
void add_place(const Sweep& sweep, const SweepPoint& point, ordered_json& value) {
  value["grid_rows"] = point.grid_rows;
  value["grid_columns"] = point.grid_columns;
  for (std::size_t i = 0; i < sweep.dimensions.size(); ++i) {
    const auto& [key, values] = sweep.dimensions[i];
    if (!sweep.dimensions[i].varies()) continue;
    if (key == "batch")
      value[key] = parse_integer(key, point.values[i], 1, INT32_MAX);
    else
      value[key] = point.values[i];
  }
}

// What `place` of the ranking has to say about replicas.
ordered_json replicas_of_place(const Result& result, std::size_t fastest) {
  const Distribution seconds = result.replicas->iterations();
  const auto count = static_cast<double>(result.replicas->iteration_seconds.size());
  return {{"p5_s", finite("p5_s", seconds.p5)},
          {"median_s", finite("median_s", seconds.median)},
          {"p95_s", finite("p95_s", seconds.p95)},
          {"fastest_share", static_cast<double>(fastest) / count}};
}

ordered_json best_against_second(const Sweep& sweep, const std::vector<std::size_t>& order) {
  const std::vector<SweepPoint>& points = sweep.points;
  const std::size_t count = points[order[0]].result->replicas->iteration_seconds.size();
  return {
      {"best", order[0]},
      {"second", order[1]},
      {"replicas", count},
      {"win_share", static_cast<double>(wins(sweep, points[order[0]], points[order[1]])) / static_cast<double>(count)}};
}

ordered_json ranking_value(const Sweep& sweep, const std::vector<std::size_t>& order,
                           const std::vector<std::size_t>& fastest) {
  const bool by_images = ranked_by_images(sweep);
  ordered_json ranking = ordered_json::array();
  for (std::size_t place = 0; place < order.size(); ++place) {
    const SweepPoint& point = sweep.points[order[place]];
    const double best = cost_s(*sweep.points[order.front()].result, by_images);
    ordered_json value = {{"point", order[place]}};
    add_place(sweep, point, value);
    value["iteration_s"] = finite("iteration_s", point.result->iteration_s);
    value["relative_to_best"] = best > 0 ? cost_s(*point.result, by_images) / best : 1.0;
    value["fits_memory"] = fits_host(point.result->memory);
    if (!fastest.empty()) value["replicas"] = replicas_of_place(*point.result, fastest[place]);
    ranking.push_back(std::move(value));
  }
  return ranking;
}

ordered_json point_value(const Sweep& sweep, const SweepPoint& point) {
  ordered_json value = ordered_json::object();
  add_place(sweep, point, value);
  if (point.lower_bound_s) value["lower_bound_s"] = finite("lower_bound_s", *point.lower_bound_s);
  if (point.result)
    value["result"] = to_json_value(*point.result);
  else if (point.skipped)
    value["skipped"] = true;
  else
    value["error"] = point.error;
  return value;
}

}  // namespace

std::string sweep_to_json(const Sweep& sweep) {
  ordered_json document = {
      {"schema", "simtrain-sweep"}, {"schema_version", kSweepSchemaVersion}, {"version", SIMTRAIN_VERSION}};
  const std::vector<std::size_t> order = ranking_of(sweep);
  const std::vector<std::size_t> fastest = fastest_counts(sweep, order);  // empty without replicas
  for (const SweepDimension& dimension : sweep.dimensions)
    if (dimension.varies()) document["dimensions"][dimension.key] = dimension.values;
  document["ranking"] = ranking_value(sweep, order, fastest);
  if (fastest.size() > 1) document["best_against_second"] = best_against_second(sweep, order);
  document["points"] = ordered_json::array();
  for (const SweepPoint& point : sweep.points) document["points"].push_back(point_value(sweep, point));
  add_passport(sweep.passport, document);
  return json_text(document);
}

}  // namespace simtrain
