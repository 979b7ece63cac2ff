#include "report/sweep_replicas.hpp"

#include <algorithm>
#include <cmath>

#include "base/units.hpp"

namespace simtrain {

namespace {

const std::vector<double>& seconds_of(const SweepPoint& point) { return point.result->replicas->iteration_seconds; }

// As points are compared (report/sweep_ranking.hpp).
double replica_cost_s(const SweepPoint& point, std::size_t replica, bool by_images) {
  const double seconds = seconds_of(point)[replica];
  return by_images ? seconds / static_cast<double>(point.result->job.batch) : seconds;
}

std::string whole_percent(std::size_t part, std::size_t whole) {
  return std::to_string(std::lround(100.0 * static_cast<double>(part) / static_cast<double>(whole))) + " %";
}

}  // namespace

std::vector<std::size_t> fastest_counts(const Sweep& sweep, const std::vector<std::size_t>& order) {
  const std::vector<SweepPoint>& points = sweep.points;
  for (const std::size_t i : order)
    if (!points[i].result->replicas || seconds_of(points[i]).size() != seconds_of(points[order.front()]).size())
      return {};
  std::vector<std::size_t> counts(order.size(), 0);
  if (order.empty()) return counts;
  const bool by_images = ranked_by_images(sweep);
  for (std::size_t replica = 0; replica < seconds_of(points[order.front()]).size(); ++replica) {
    const auto fastest = std::min_element(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return replica_cost_s(points[a], replica, by_images) < replica_cost_s(points[b], replica, by_images);
    });
    ++counts[static_cast<std::size_t>(fastest - order.begin())];
  }
  return counts;
}

std::size_t wins(const Sweep& sweep, const SweepPoint& a, const SweepPoint& b) {
  const bool by_images = ranked_by_images(sweep);
  std::size_t count = 0;
  for (std::size_t replica = 0; replica < seconds_of(a).size(); ++replica)
    if (replica_cost_s(a, replica, by_images) < replica_cost_s(b, replica, by_images)) ++count;
  return count;
}

void add_replica_table(Page& page, const Sweep& sweep, const Shown& shown, const TimeScale& time) {
  const std::vector<std::size_t>& order = shown.order;
  const std::vector<SweepPoint>& points = sweep.points;
  const std::vector<std::size_t> fastest = fastest_counts(sweep, order);
  if (fastest.empty()) return;
  const ReplicasResult& replicas = *points[order.front()].result->replicas;
  const std::size_t count = replicas.iteration_seconds.size();
  page.heading("Iteration time in " + counted(static_cast<std::int64_t>(count), "replica") + " (" + time.unit() + ")");
  constexpr std::size_t kLongestLabel = 36;
  Table table({{.heading = "#"},
               {.heading = only_grids_vary(sweep) ? "grid" : "point"},
               {.heading = "undisturbed"},
               {.heading = "5 %"},
               {.heading = "median"},
               {.heading = "95 %"},
               {.heading = "fastest in"}});
  for (std::size_t i = 0; i < shown.count; ++i) {
    const SweepPoint& point = points[order[i]];
    const Distribution seconds = point.result->replicas->iterations();
    table.row({std::to_string(i + 1), shortened(label_of(sweep, point), kLongestLabel), time(point.result->iteration_s),
               time(seconds.p5), time(seconds.median), time(seconds.p95), whole_percent(fastest[i], count)});
  }
  page.table(table);
  if (order.size() > 1) {
    const SweepPoint &best = points[order[0]], &second = points[order[1]];
    page.sentence(label_of(sweep, best) + " beats " + label_of(sweep, second) + " in " +
                  whole_percent(wins(sweep, best, second), count) + " of " +
                  counted(static_cast<std::int64_t>(count), "replica") + ".");
  }
  page.sentence(
      "A replica draws noise of the kernels as it was measured, errors of the profile's fit, and nodes whose "
      "times are assumed to differ by " +
      format_percent(replicas.node_spread) + " (--node-spread); profile errors and nodes are the same for all " +
      std::string(only_grids_vary(sweep) ? "grids" : "points") + ".");
}

}  // namespace simtrain
