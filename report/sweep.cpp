// What people read of a sweep: the ranking, what it means, and why points have no place in it.
#include "report/sweep.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "base/units.hpp"
#include "report/page.hpp"
#include "report/pages.hpp"
#include "report/sections.hpp"
#include "report/sweep_columns.hpp"
#include "report/sweep_ranking.hpp"
#include "report/sweep_replicas.hpp"

namespace simtrain {

namespace {

std::string percent_slower(const Result& result, const Result& than, bool by_images) {
  return format_percent(cost_s(result, by_images) / cost_s(than, by_images) - 1) + " slower";
}

// The point that compute plus the formula would choose, and what that choice costs: what the simulation was good for.
void add_formula_choice(Page& page, const Sweep& sweep, const std::vector<std::size_t>& order) {
  const std::vector<SweepPoint>& points = sweep.points;
  const bool by_images = ranked_by_images(sweep);
  const auto by_formula = [&](std::size_t i) {
    Result result;
    result.iteration_s = points[i].result->compute_s() + points[i].result->paper_s();
    result.job.batch = points[i].result->job.batch;
    return cost_s(result, by_images);
  };
  const bool known = std::any_of(order.begin(), order.end(), [&](auto i) { return points[i].result->paper_s() > 0; });
  if (!known || order.size() < 2) return;
  const std::size_t chosen =
      *std::min_element(order.begin(), order.end(), [&](auto a, auto b) { return by_formula(a) < by_formula(b); });
  const std::string formula = formula_of(sweep, order);
  if (chosen == order.front())
    page.sentence("Compute plus " + formula + " picks the same " + (only_grids_vary(sweep) ? "grid." : "point."));
  else
    page.sentence("Compute plus " + formula + " would pick " + label_of(sweep, points[chosen]) + ", which is " +
                  percent_slower(*points[chosen].result, *points[order.front()].result, by_images) +
                  " in the simulation.");
}

void add_best(Page& page, const Sweep& sweep, const std::vector<std::size_t>& order) {
  const SweepPoint& best = sweep.points[order.front()];
  page.sentence("Fastest: " + label_of(sweep, best) + " (" + std::to_string(best.grid_rows) + "-way tensor parallel, " +
                std::to_string(best.grid_columns) + "-way data parallel), " + format_seconds(best.result->iteration_s) +
                " per iteration" +
                (ranked_by_images(sweep) ? ", " + format_count(best.result->images_per_s()) + " images/s." : "."));
  if (!only_grids_vary(sweep)) return;
  for (const std::size_t i : order)
    if (sweep.points[i].grid_rows == 1 && i != order.front())
      page.sentence("Pure data parallelism (" + grid_text(sweep.points[i]) + ") is " +
                    percent_slower(*sweep.points[i].result, *best.result, false) + ".");
}

// Images of different networks are not alike: the fastest of each.
void add_best_of_networks(Page& page, const Sweep& sweep, const std::vector<std::size_t>& order) {
  const int network = dimension_of(sweep, "network");
  if (network < 0 || !sweep.dimensions[static_cast<std::size_t>(network)].varies()) return;
  for (const std::string& name : sweep.dimensions[static_cast<std::size_t>(network)].values)
    for (const std::size_t i : order) {
      const SweepPoint& point = sweep.points[i];
      if (point.values[static_cast<std::size_t>(network)] != name) continue;
      page.sentence("Fastest of " + printable(name) + ": " + label_of(sweep, point) + ", " +
                    format_seconds(point.result->iteration_s) + " per iteration.");
      break;
    }
}

std::string plural_of(const std::string& key) {
  if (key == "batch") return "batch sizes";
  if (key == "strategy") return "strategies";
  return key.ends_with('s') ? key : key + "s";
}

std::string title_of(const Sweep& sweep, const Result& first) {
  std::string title = "Sweep of ";
  for (const SweepDimension& dimension : sweep.dimensions)
    if (dimension.varies()) title += plural_of(dimension.key) + ", ";
  title += "grids Pr x Pc: ";
  const auto varies = [&](const char* key) {
    const int i = dimension_of(sweep, key);
    return i >= 0 && sweep.dimensions[static_cast<std::size_t>(i)].varies();
  };
  std::vector<std::string> alike;
  if (!varies("network")) alike.push_back(first.job.network);
  if (!ranked_by_images(sweep)) alike.push_back("batch " + format_count(static_cast<double>(first.job.batch)));
  if (!ranks_vary(sweep))
    alike.push_back(counted(static_cast<std::int64_t>(first.job.grid_rows) * first.job.grid_columns, "rank"));
  if (!varies("platform") && first.platform) alike.push_back(first.platform->name);
  if (alike.empty()) alike.push_back(counted(static_cast<std::int64_t>(sweep.points.size()), "point"));
  for (std::size_t i = 0; i < alike.size(); ++i) title += (i > 0 ? ", " : "") + alike[i];
  return title;
}

// `most`: points that its tables have.
void add_ranking(Page& page, const Sweep& sweep, const std::vector<std::size_t>& order, std::size_t most) {
  const Result& first = *sweep.points[order.front()].result;
  double shortest_s = first.iteration_s;
  for (const std::size_t i : order) shortest_s = std::min(shortest_s, sweep.points[i].result->iteration_s);
  const TimeScale time(shortest_s);
  page.heading(title_of(sweep, first));
  page.sentence("Times in " + time.unit() +
                " per iteration; compute and communication: mean over ranks; memory: per rank." +
                (ranked_by_images(sweep) ? " Batches differ: ranked by images/s." : ""));
  page.figure("sweep");
  const Shown shown{order, std::min(most, order.size())};
  add_ranked_table(page, sweep, shown, time);
  if (shown.count < order.size())
    page.sentence("The " + format_count(static_cast<double>(shown.count)) + " fastest of " +
                  counted(static_cast<std::int64_t>(order.size()), "point") + "; --csv and --json have all of them.");
  add_best(page, sweep, order);
  add_best_of_networks(page, sweep, order);
  add_formula_choice(page, sweep, order);
  add_replica_table(page, sweep, shown, time);
}

// Points that have the same to be said of them, in their order.
struct Group {
  std::string reason;
  std::vector<std::string> labels;
};

std::vector<Group> groups_of(const Sweep& sweep, const std::function<std::string(const SweepPoint&)>& reason_of) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (const SweepPoint& point : sweep.points) {
    const std::string reason = reason_of(point);
    if (reason.empty()) continue;
    const auto [place, added] = places.try_emplace(reason, groups.size());
    if (added) groups.push_back({reason, {}});
    groups[place->second].labels.push_back(label_of(sweep, point));
  }
  return groups;
}

// Where only grids vary, a line for each, under which reasons line up; else the points before the reason that they
// share. `most`: reasons that are listed.
void add_reasons(Page& page, const Sweep& sweep, const std::string& title, std::size_t most,
                 const std::function<std::string(const SweepPoint&)>& reason_of) {
  constexpr std::size_t kMostListed = 10;
  std::vector<Group> groups = groups_of(sweep, reason_of);
  if (!groups.empty()) page.heading(title);
  const std::size_t more = groups.size() - std::min(groups.size(), most);
  groups.resize(groups.size() - more);
  for (const Group& group : groups) {
    if (only_grids_vary(sweep)) {
      for (const std::string& label : group.labels) page.fact(label, group.reason);
      continue;
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostListed, group.labels.size()); ++i)
      text += (i > 0 ? "; " : "") + group.labels[i];
    if (group.labels.size() > kMostListed)
      text += "; and " + counted(static_cast<std::int64_t>(group.labels.size() - kMostListed), "point") +
              " more, which --csv and --json name";
    page.sentence(text + ": " + group.reason);
  }
  if (more > 0)
    page.sentence("And " + counted(static_cast<std::int64_t>(more), "other reason") + ", which --csv and --json have.");
}

std::string lower_bound_text(const SweepPoint& point) {
  return point.skipped ? "at least " + format_seconds(*point.lower_bound_s) + " per iteration" : "";
}

std::string error_text(const SweepPoint& point) { return point.result || point.skipped ? "" : point.error; }

// The first of the ranking: layers, ranks, links and memory.
void add_fastest(Page& page, const std::string& label, const Result& result, const FastestTimeline& timeline) {
  page.heading("The fastest, " + label + ", in detail");
  page.sentence("simtrain with its options shows the rest.");
  page.figure("key");
  add_layers(page, result);
  page.figure("timeline", "What some of the ranks do");
  if (!timeline.why_none.empty()) page.sentence("What its ranks do is not known here: " + timeline.why_none + ".");
  add_links(page, result);
  page.figure("links");
  add_memory(page, result);
}

Page report_of(const Sweep& sweep, std::size_t most) {
  Page page;
  const std::vector<std::size_t> order = ranking_of(sweep);
  if (!order.empty()) add_ranking(page, sweep, order, most);
  add_reasons(page, sweep, "Skipped, since they cannot be the fastest: whatever the network does, they take", most,
              lower_bound_text);
  add_reasons(page, sweep, "No result", most, error_text);
  return page;
}

}  // namespace

std::string sweep_to_text(const Sweep& sweep) { return report_of(sweep, sweep.points.size()).text(); }

std::string sweep_to_page(const Sweep& sweep, const FastestTimeline& timeline) {
  constexpr std::size_t kMostBars = 100, kMostRows = 1000;
  std::vector<std::size_t> order = ranking_of(sweep);
  order.resize(std::min(order.size(), kMostBars));
  std::vector<SweepBar> bars;
  for (const std::size_t i : order) bars.push_back({label_of(sweep, sweep.points[i]), &*sweep.points[i].result});
  Page page = report_of(sweep, kMostRows);
  Result fastest;
  if (!bars.empty()) {
    fastest = *bars.front().result;
    fastest.timeline = timeline.timeline;
    bars.front().result = &fastest;
    add_fastest(page, bars.front().label, fastest, timeline);
  }
  page.figure("origin", "Where it comes from");
  return sweep_page(page, bars, sweep.passport);
}

}  // namespace simtrain
