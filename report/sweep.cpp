// Sweeps: many grids of one job, ranked.
#include <algorithm>

#include "base/units.hpp"
#include "report/json_value.hpp"
#include "report/page.hpp"
#include "report/sections.hpp"
#include "report/sweep_replicas.hpp"
#include "report/terminal.hpp"

namespace simtrain {

namespace {

constexpr int kSweepSchemaVersion = 1;  // docs/sweep.schema.json

// Indices of the points with a result, fastest first; equal times: fewer grid rows first.
std::vector<std::size_t> ranking_of(const std::vector<SweepPoint>& points) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].result) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double a_s = points[a].result->iteration_s, b_s = points[b].result->iteration_s;
    return a_s != b_s ? a_s < b_s : points[a].grid_rows < points[b].grid_rows;
  });
  return order;
}

std::string grid_text(const SweepPoint& point) {
  return std::to_string(point.grid_rows) + " x " + std::to_string(point.grid_columns);
}

std::string percent_slower(const Result& result, const Result& than) {
  return format_percent(result.iteration_s / than.iteration_s - 1) + " slower";
}

// Of which (8) is the case without strips.
std::string formula_of(const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order) {
  return std::any_of(order.begin(), order.end(), [&](auto i) { return points[i].result->has_strips(); })
             ? "formula (9)"
             : "formula (8)";
}

Table ranked_table(const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order,
                   const TimeScale& time) {
  const std::string communication = "communication";
  const bool chosen = !points[order.front()].result->placement_trials.empty();  // by each grid for itself
  Table table({{.heading = "#"},
               {.heading = "grid"},
               {.heading = "iteration"},
               {.heading = "vs best"},
               {.heading = "images/s"},
               {.heading = "compute"},
               {.heading = "simulated", .group = communication},
               {.heading = "alpha-beta", .group = communication},
               {.heading = formula_of(points, order), .group = communication},
               {.heading = "memory"},
               {.heading = ""},
               {.heading = chosen ? "placement" : "", .align = Table::Align::left}});
  const double best_s = points[order.front()].result->iteration_s;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SweepPoint& point = points[order[i]];
    const Result& result = *point.result;
    table.row({std::to_string(i + 1), grid_text(point), time(result.iteration_s),
               format_ratio(result.iteration_s, best_s), format_count(result.images_per_s()), time(result.compute_s()),
               time(result.communication_s()), time(result.alpha_beta_s()), time(result.paper_s()),
               format_bytes(result.memory.total()), fits_host(result.memory) ? "" : "!",
               chosen ? result.job.placement : ""});
  }
  return table;
}

// The grid that compute plus the formula would choose, and what that choice costs: what the simulation was good for.
void add_formula_choice(Page& page, const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order) {
  const auto by_formula = [&](std::size_t i) { return points[i].result->compute_s() + points[i].result->paper_s(); };
  const bool known = std::any_of(order.begin(), order.end(), [&](auto i) { return points[i].result->paper_s() > 0; });
  if (!known || order.size() < 2) return;
  const std::size_t chosen =
      *std::min_element(order.begin(), order.end(), [&](auto a, auto b) { return by_formula(a) < by_formula(b); });
  const std::string formula = formula_of(points, order);
  if (chosen == order.front())
    page.sentence("Compute plus " + formula + " picks the same grid.");
  else
    page.sentence("Compute plus " + formula + " would pick " + grid_text(points[chosen]) + ", which is " +
                  percent_slower(*points[chosen].result, *points[order.front()].result) + " in the simulation.");
}

void add_best(Page& page, const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order) {
  const SweepPoint& best = points[order.front()];
  page.sentence("Fastest: " + grid_text(best) + " (" + std::to_string(best.grid_rows) + "-way tensor parallel, " +
                std::to_string(best.grid_columns) + "-way data parallel), " + format_seconds(best.result->iteration_s) +
                " per iteration.");
  for (const std::size_t i : order)
    if (points[i].grid_rows == 1 && i != order.front())
      page.sentence("Pure data parallelism (" + grid_text(points[i]) + ") is " +
                    percent_slower(*points[i].result, *best.result) + ".");
  add_formula_choice(page, points, order);
}

void add_memory_marks(Page& page, const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order) {
  const auto fits = [&](std::size_t i) { return fits_host(points[i].result->memory); };
  const auto too_big = std::find_if_not(order.begin(), order.end(), fits);
  if (too_big == order.end()) return;
  page.sentence("!: does not fit the host's " + format_bytes(*points[*too_big].result->memory.host) + " of memory.");
  if (too_big != order.begin()) return;
  const auto first = std::find_if(order.begin(), order.end(), fits);
  page.warning("the fastest grid does not fit; " +
               (first == order.end() ? std::string("no grid does.")
                                     : "the fastest that does is " + grid_text(points[*first]) + "."));
}

void add_ranking(Page& page, const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order) {
  const Result& first = *points[order.front()].result;
  const TimeScale time(points[order.front()].result->iteration_s);
  std::string title = "Sweep of grids Pr x Pc: " + first.job.network + ", batch " +
                      format_count(static_cast<double>(first.job.batch)) + ", " +
                      counted(static_cast<std::int64_t>(first.job.grid_rows) * first.job.grid_columns, "rank");
  if (first.platform) title += ", " + first.platform->name;
  page.heading(title);
  page.sentence("Times in " + time.unit() +
                " per iteration; compute and communication: mean over ranks; memory: per rank.");
  page.table(ranked_table(points, order, time));
  add_best(page, points, order);
  add_memory_marks(page, points, order);
  add_replica_table(page, points, order, time);
}

// What `place` of the ranking has to say about replicas.
nlohmann::ordered_json replicas_of_place(const Result& result, std::size_t fastest) {
  const Distribution seconds = result.replicas->iterations();
  const auto count = static_cast<double>(result.replicas->iteration_seconds.size());
  return {{"p5_s", finite("p5_s", seconds.p5)},
          {"median_s", finite("median_s", seconds.median)},
          {"p95_s", finite("p95_s", seconds.p95)},
          {"fastest_share", static_cast<double>(fastest) / count}};
}

nlohmann::ordered_json best_against_second(const std::vector<SweepPoint>& points,
                                           const std::vector<std::size_t>& order) {
  const std::size_t count = points[order[0]].result->replicas->iteration_seconds.size();
  return {{"best", order[0]},
          {"second", order[1]},
          {"replicas", count},
          {"win_share", static_cast<double>(wins(points[order[0]], points[order[1]])) / static_cast<double>(count)}};
}

}  // namespace

std::string sweep_to_text(const std::vector<SweepPoint>& points) {
  Page page;
  const std::vector<std::size_t> order = ranking_of(points);
  if (!order.empty()) add_ranking(page, points, order);
  if (order.size() < points.size()) page.heading("No result");
  for (const SweepPoint& point : points)
    if (!point.result) page.fact(grid_text(point), point.error);
  return page.text();
}

std::string sweep_to_json(const std::vector<SweepPoint>& points) {
  using nlohmann::ordered_json;
  ordered_json document = {{"schema", "simtrain-sweep"}, {"schema_version", kSweepSchemaVersion}};
  const std::vector<std::size_t> order = ranking_of(points);
  const std::vector<std::size_t> fastest = fastest_counts(points, order);  // empty without replicas
  document["ranking"] = ordered_json::array();
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t i = order[place];
    const Result& result = *points[i].result;
    const double best_s = points[order.front()].result->iteration_s;
    document["ranking"].push_back({{"point", i},
                                   {"grid_rows", points[i].grid_rows},
                                   {"grid_columns", points[i].grid_columns},
                                   {"iteration_s", finite("iteration_s", result.iteration_s)},
                                   {"relative_to_best", best_s > 0 ? result.iteration_s / best_s : 1.0},
                                   {"fits_memory", fits_host(result.memory)}});
    if (!fastest.empty()) document["ranking"].back()["replicas"] = replicas_of_place(result, fastest[place]);
  }
  if (fastest.size() > 1) document["best_against_second"] = best_against_second(points, order);
  document["points"] = ordered_json::array();
  for (const SweepPoint& point : points) {
    ordered_json value = {{"grid_rows", point.grid_rows}, {"grid_columns", point.grid_columns}};
    if (point.result)
      value["result"] = to_json_value(*point.result);
    else
      value["error"] = point.error;
    document["points"].push_back(std::move(value));
  }
  return json_text(document);
}

}  // namespace simtrain
