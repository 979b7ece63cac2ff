// A sweep as CSV (RFC 4180): one line for each point, all figures in seconds and bytes.
#include "report/csv_field.hpp"
#include "report/sections.hpp"
#include "report/sweep.hpp"
#include "report/sweep_ranking.hpp"
#include "report/sweep_replicas.hpp"

namespace simtrain {

namespace {

// In the order of add_figures.
constexpr std::initializer_list<const char*> kFigures{
    "iteration_s",      "relative_to_best", "images_per_s",      "compute_s",      "communication_s",
    "exposed_s",        "alpha_beta_s",     "formula_s",         "memory_bytes",   "host_bytes",
    "chosen_placement", "replicas_p5_s",    "replicas_median_s", "replicas_p95_s", "fastest_share"};

void add_figures(const Result& result, double relative, std::size_t fastest, CsvLine& line) {
  for (const double value :
       {result.iteration_s, relative, result.images_per_s(), result.compute_s(), result.communication_s(),
        result.exposed_s(), result.alpha_beta_s(), result.paper_s(), result.memory.together()})
    line.add(value);
  if (result.memory.host)
    line.add(*result.memory.host);
  else
    line.add_empty();
  line.add(result.job.placement);
  if (!result.replicas) return line.add_empty(4);
  const Distribution seconds = result.replicas->iterations();
  for (const double value :
       {seconds.p5, seconds.median, seconds.p95,
        static_cast<double>(fastest) / static_cast<double>(result.replicas->iteration_seconds.size())})
    line.add(value);
}

const char* outcome_of(const SweepPoint& point) {
  if (point.result) return "ranked";
  if (point.skipped) return "skipped";
  return point.failed ? "failed" : "impossible";
}

void add_point(const Sweep& sweep, const SweepPoint& point, CsvLine& line) {
  for (std::size_t i = 0; i < sweep.dimensions.size(); ++i) {
    const bool own_batch = sweep.dimensions[i].key == "batch" && point.values[i].empty() && point.result;
    line.add(own_batch ? std::to_string(point.result->job.batch) : point.values[i]);
  }
  line.add_count(std::int64_t{point.grid_rows} * point.grid_columns);
  line.add_count(point.grid_rows);
  line.add_count(point.grid_columns);
}

void add_end(const SweepPoint& point, CsvLine& line) {
  if (point.lower_bound_s)
    line.add(*point.lower_bound_s);
  else
    line.add_empty();
  line.add(outcome_of(point));
  line.add(point.result ? "" : point.error);
}

std::string header(const Sweep& sweep) {
  CsvLine line;
  line.add("place");
  for (const SweepDimension& dimension : sweep.dimensions) line.add(dimension.key);
  for (const char* name : {"ranks", "grid_rows", "grid_columns"}) line.add(name);
  for (const char* name : kFigures) line.add(name);
  for (const char* name : {"lower_bound_s", "outcome", "reason"}) line.add(name);
  return line.text();
}

}  // namespace

std::string sweep_to_csv(const Sweep& sweep) {
  const std::vector<std::size_t> order = ranking_of(sweep);
  const std::vector<std::size_t> fastest = fastest_counts(sweep, order);
  const bool by_images = ranked_by_images(sweep);
  std::string text = header(sweep);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const SweepPoint& point = sweep.points[order[place]];
    const double best = cost_s(*sweep.points[order.front()].result, by_images);
    CsvLine line;
    line.add_count(static_cast<std::int64_t>(place) + 1);
    add_point(sweep, point, line);
    add_figures(*point.result, best > 0 ? cost_s(*point.result, by_images) / best : 1.0,
                fastest.empty() ? 0 : fastest[place], line);
    add_end(point, line);
    text += line.text();
  }
  for (const SweepPoint& point : sweep.points) {
    if (point.result) continue;
    CsvLine line;
    line.add_empty();
    add_point(sweep, point, line);
    line.add_empty(static_cast<int>(kFigures.size()));
    add_end(point, line);
    text += line.text();
  }
  return text;
}

}  // namespace simtrain
