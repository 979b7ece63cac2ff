#include "report/sweep_replicas.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"

namespace simtrain {

namespace {

const std::vector<double>& seconds_of(const SweepPoint& point) { return point.result->replicas->iteration_seconds; }

std::string whole_percent(std::size_t part, std::size_t whole) {
  return std::to_string(std::lround(100.0 * static_cast<double>(part) / static_cast<double>(whole))) + " %";
}

std::string grid_text(const SweepPoint& point) {
  return std::to_string(point.grid_rows) + " x " + std::to_string(point.grid_columns);
}

}  // namespace

std::vector<std::size_t> fastest_counts(const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order) {
  for (const std::size_t i : order)
    if (!points[i].result->replicas || seconds_of(points[i]).size() != seconds_of(points[order.front()]).size())
      return {};
  std::vector<std::size_t> counts(order.size(), 0);
  if (order.empty()) return counts;
  for (std::size_t replica = 0; replica < seconds_of(points[order.front()]).size(); ++replica) {
    const auto fastest = std::min_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return seconds_of(points[a])[replica] < seconds_of(points[b])[replica];
    });
    ++counts[static_cast<std::size_t>(fastest - order.begin())];
  }
  return counts;
}

std::size_t wins(const SweepPoint& a, const SweepPoint& b) {
  std::size_t count = 0;
  for (std::size_t replica = 0; replica < seconds_of(a).size(); ++replica)
    if (seconds_of(a)[replica] < seconds_of(b)[replica]) ++count;
  return count;
}

void add_replica_table(Page& page, const std::vector<SweepPoint>& points, const std::vector<std::size_t>& order,
                       const TimeScale& time) {
  const std::vector<std::size_t> fastest = fastest_counts(points, order);
  if (fastest.empty()) return;
  const ReplicasResult& replicas = *points[order.front()].result->replicas;
  const std::size_t count = replicas.iteration_seconds.size();
  page.heading("Iteration time in " + counted(static_cast<std::int64_t>(count), "replica") + " (" + time.unit() + ")");
  Table table({{.heading = "#"},
               {.heading = "grid"},
               {.heading = "undisturbed"},
               {.heading = "5 %"},
               {.heading = "median"},
               {.heading = "95 %"},
               {.heading = "fastest in"}});
  for (std::size_t i = 0; i < order.size(); ++i) {
    const SweepPoint& point = points[order[i]];
    const Distribution seconds = point.result->replicas->iterations();
    table.row({std::to_string(i + 1), grid_text(point), time(point.result->iteration_s), time(seconds.p5),
               time(seconds.median), time(seconds.p95), whole_percent(fastest[i], count)});
  }
  page.table(table);
  if (order.size() > 1) {
    const SweepPoint &best = points[order[0]], &second = points[order[1]];
    page.sentence(grid_text(best) + " beats " + grid_text(second) + " in " + whole_percent(wins(best, second), count) +
                  " of " + counted(static_cast<std::int64_t>(count), "replica") + ".");
  }
  page.sentence(
      "A replica draws noise of the kernels as it was measured, errors of the profile's fit, and nodes whose "
      "times are assumed to differ by " +
      format_percent(replicas.node_spread) + " (--node-spread); profile errors and nodes are the same for all grids.");
}

}  // namespace simtrain
