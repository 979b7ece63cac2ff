// What the machine does to the job: placements, slow parts, busy links.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/units.hpp"
#include "report/sections.hpp"

namespace simtrain {

namespace {

constexpr std::size_t kShownLinks = 10;
constexpr std::size_t kShownParts = 5;
constexpr std::size_t kShownClasses = 8;

std::string grid_text(int rows, int columns) { return std::to_string(rows) + " x " + std::to_string(columns); }

// "12.3 % less than now", "as long as now"
std::string against(double seconds, double now_s) {
  constexpr double kSame = 0.0005;
  const double change = now_s > 0 ? seconds / now_s - 1 : 0;
  if (std::abs(change) < kSame) return "as long as now";
  return format_percent(std::abs(change)) + (change < 0 ? " less than now" : " more than now");
}

void add_parts(Page& page, const std::string& label, const std::vector<SlowPart>& parts, std::int64_t count) {
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kShownParts); ++i)
    text += (i == 0 ? "" : ", ") + parts[i].name + " at " + format_percent(parts[i].factor);
  if (std::cmp_greater(count, kShownParts))
    text += " and " + std::to_string(count - static_cast<std::int64_t>(kShownParts)) + " more";
  if (!text.empty()) page.fact(label, text);
}

std::string advice(const SlowPartsResult& parts, double now_s) {
  const GridAlternative* best = nullptr;
  for (const GridAlternative& one : parts.without)
    if (one.iteration_s && *one.iteration_s < now_s && (best == nullptr || *one.iteration_s < *best->iteration_s))
      best = &one;
  if (best == nullptr) return "Leaving the slow hosts out does not pay.";
  return "Faster: leave the slow hosts out, and run " + grid_text(best->grid_rows, best->grid_columns) + " on others.";
}

std::string class_text(const LinkClassResult& one) {
  return one.name + " " + format_percent(one.mean_utilisation) + " (" + format_percent(one.max_utilisation) + ")";
}

}  // namespace

void add_placement_trials(Page& page, const Result& result) {
  if (result.placement_trials.empty()) return;
  const auto best = std::find_if(result.placement_trials.begin(), result.placement_trials.end(),
                                 [&](const PlacementTrial& one) { return one.placement == result.job.placement; });
  if (best == result.placement_trials.end() || !best->iteration_s) return;
  page.heading("Placements tried");
  const TimeScale time(*best->iteration_s);
  Table table({{.heading = "placement", .align = Table::Align::left},
               {.heading = time.unit() + " per iteration"},
               {.heading = "vs best"}});
  for (const PlacementTrial& one : result.placement_trials)
    if (one.iteration_s)
      table.row({one.placement, time(*one.iteration_s), format_ratio(*one.iteration_s, *best->iteration_s)});
  page.table(table);
  for (const PlacementTrial& one : result.placement_trials)
    if (!one.iteration_s) page.fact(one.placement, one.error);
}

void add_slow_parts(Page& page, const Result& result) {
  if (!result.slow_parts) return;
  const SlowPartsResult& parts = *result.slow_parts;
  page.heading("Slow parts");
  page.fact("asked for", parts.description);
  add_parts(page, "hosts", parts.hosts, parts.slow_hosts);
  add_parts(page, "links", parts.links, parts.degraded_links);
  if (parts.slow_hosts > 0)
    page.fact("used", std::to_string(parts.slow_hosts_used) + " of " + counted(parts.slow_hosts, "slow host") +
                          (parts.slow_hosts_used == 1 ? " holds ranks" : " hold ranks"));
  if (parts.healed_s) {
    const double cost_s = result.iteration_s - *parts.healed_s;
    page.fact("cost", format_seconds(std::max(0.0, cost_s)) + " an iteration: " + format_seconds(*parts.healed_s) +
                          " without slow parts, " + format_seconds(result.iteration_s) + " with them (" +
                          format_percent(std::max(0.0, cost_s) / *parts.healed_s) + " longer)");
  }
  for (const GridAlternative& one : parts.without)
    page.fact("left out", grid_text(one.grid_rows, one.grid_columns) + " on other hosts: " +
                              (one.iteration_s ? format_seconds(*one.iteration_s) + ", " +
                                                     against(*one.iteration_s, result.iteration_s)
                                               : "not possible: " + one.error));
  if (!parts.without.empty()) page.sentence(advice(parts, result.iteration_s));
}

void add_links(Page& page, const Result& result) {
  if (!result.links || result.links->used == 0) return;
  const LinksResult& links = *result.links;
  page.heading("Busiest links (of one iteration; use: bytes / (bandwidth x iteration))");
  Table table({{.heading = "link", .align = Table::Align::left}, {.heading = "carries"}, {.heading = "use"}});
  for (std::size_t i = 0; i < std::min(links.busiest.size(), kShownLinks); ++i)
    table.row(
        {links.busiest[i].name, format_bytes(links.busiest[i].bytes), format_percent(links.busiest[i].utilisation)});
  page.table(table);
  page.sentence(format_count(static_cast<double>(links.used)) + " of " + counted(links.count(), "link") +
                " carry something.");
  std::string text;
  for (std::size_t i = 0; i < std::min(links.classes.size(), kShownClasses); ++i)
    text += (i == 0 ? "" : ", ") + class_text(links.classes[i]);
  if (links.classes.size() > kShownClasses)
    text += " and " + std::to_string(links.classes.size() - kShownClasses) + " more classes";
  page.sentence("By class, mean use and that of the busiest: " + text + ".");
}

}  // namespace simtrain
