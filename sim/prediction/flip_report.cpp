// What was found about changes of the best grid, as text and JSON.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/units.hpp"
#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/json_value.hpp"
#include "report/page.hpp"
#include "report/passport_json.hpp"
#include "report/web_page.hpp"
#include "sim/prediction/flip.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

std::string times_text(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3g", value);
  return buffer.data();
}

std::string grid_at(const FlipResult& result, int index) {
  return to_string(result.grids[static_cast<std::size_t>(index)]);
}

// "32x8 wins below 9.30 GB/s; 16x16 above."
std::string verdict(const FlipResult& result) {
  const auto value = [&](double number) { return format_value(result.quantity, number); };
  const Crossings& found = result.crossings;
  if (found.crossings.empty())
    return grid_at(result, found.best.front()) + " is the fastest from " + value(found.values.front()) + " to " +
           value(found.values.back()) + ".";
  std::string text =
      grid_at(result, found.crossings.front().before) + " wins below " + value(found.crossings.front().below);
  for (std::size_t i = 0; i < found.crossings.size(); ++i) {
    const Crossing& one = found.crossings[i];
    text += "; " + grid_at(result, one.after) + " above " + value(one.above);
    if (i + 1 < found.crossings.size()) text += ", up to " + value(found.crossings[i + 1].below);
  }
  return text + ".";
}

// Where the job as it was given stands among the crossings.
std::string distance(const FlipResult& result) {
  const Crossing* nearest = nullptr;
  double least = 0;
  for (const Crossing& one : result.crossings.crossings) {
    const double ratio = std::max(one.above / result.as_given, result.as_given / one.below);
    if (nearest == nullptr || ratio < least) {
      nearest = &one;
      least = ratio;
    }
  }
  if (nearest == nullptr) return {};
  return "As given it is " + format_value(result.quantity, result.as_given) + ": a factor of " + times_text(least) +
         " from the nearest change.";
}

// At one value, the grids with a result, fastest first; of equally fast ones the first.
std::vector<std::size_t> ranked(const FlipPoint& point) {
  std::vector<std::size_t> order;
  for (std::size_t g = 0; g < point.iteration_s.size(); ++g)
    if (point.iteration_s[g]) order.push_back(g);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return *point.iteration_s[a] < *point.iteration_s[b]; });
  return order;
}

// How much longer the second takes, relative to the fastest.
double margin_of(const FlipPoint& point, const std::vector<std::size_t>& order) {
  return *point.iteration_s[order[1]] / *point.iteration_s[order[0]] - 1;
}

TimeScale scale_of(const FlipResult& result) {
  double largest_s = 0;
  for (const FlipPoint& point : result.points) {
    const std::vector<std::size_t> order = ranked(point);
    largest_s = std::max(largest_s, *point.iteration_s[order[std::min<std::size_t>(1, order.size() - 1)]]);
  }
  return TimeScale(largest_s);
}

void add_table(Page& page, const FlipResult& result) {
  const TimeScale time = scale_of(result);
  page.heading("The fastest grid and the one after it (iteration, " + time.unit() + ")");
  Table table({{.heading = std::string(name_of(result.quantity))},
               {.heading = "fastest"},
               {.heading = "takes"},
               {.heading = "second"},
               {.heading = "takes"},
               {.heading = "margin"}});
  for (const FlipPoint& point : result.points) {
    const std::vector<std::size_t> order = ranked(point);
    std::vector<std::string> cells{format_value(result.quantity, point.value), to_string(result.grids[order[0]]),
                                   time(*point.iteration_s[order[0]])};
    if (order.size() > 1)
      for (const std::string& cell : {to_string(result.grids[order[1]]), time(*point.iteration_s[order[1]]),
                                      format_percent(margin_of(point, order))})
        cells.push_back(cell);
    else
      cells.insert(cells.end(), 3, "-");
    table.row(std::move(cells));
  }
  page.table(table);
}

// Grids that could not be had at some value, with the reason at the first one.
void add_left_out(Page& page, const FlipResult& result) {
  bool any = false;
  for (std::size_t g = 0; g < result.grids.size(); ++g) {
    const auto first = std::find_if(result.points.begin(), result.points.end(),
                                    [&](const FlipPoint& point) { return !point.iteration_s[g]; });
    if (first == result.points.end()) continue;
    if (!any) page.heading("No result");
    any = true;
    page.fact(to_string(result.grids[g]),
              "at " + format_value(result.quantity, first->value) + ": " + first->errors[g]);
  }
}

}  // namespace

std::string_view name_of(FlipQuantity quantity) {
  constexpr std::array<std::string_view, 4> names{"bandwidth", "latency", "compute", "batch"};
  return names[static_cast<std::size_t>(quantity)];
}

std::string format_value(FlipQuantity quantity, double value) {
  switch (quantity) {
    case FlipQuantity::bandwidth:
      return format_bandwidth(value);
    case FlipQuantity::latency:
      return format_seconds(value);
    case FlipQuantity::compute:
      return times_text(value) + "x";
    case FlipQuantity::batch:
      break;
  }
  return format_count(value);
}

namespace {

Page report_of(const FlipResult& result) {
  Page page;
  page.heading(std::string("simtrain ") + SIMTRAIN_VERSION + ": at which " + std::string(name_of(result.quantity)) +
               " the best grid changes");
  page.fact("network", result.network + (result.quantity == FlipQuantity::batch
                                             ? ""
                                             : ", batch " + format_count(static_cast<double>(result.batch))));
  page.fact("platform", result.platform);
  page.fact("strategy", result.strategy + ", collectives " + result.collectives);
  std::string grids;
  for (const Grid grid : result.grids) grids += (grids.empty() ? "" : ", ") + to_string(grid);
  page.fact("grids", grids);
  page.heading("Result");
  page.sentence(verdict(result));
  if (const std::string text = distance(result); !text.empty()) page.sentence(text);
  if (result.quantity == FlipQuantity::bandwidth || result.quantity == FlipQuantity::latency)
    page.sentence(std::string("All links between hosts have their ") + std::string(name_of(result.quantity)) +
                  " times the same factor; shown is " +
                  (result.quantity == FlipQuantity::bandwidth ? "that of the narrowest link of the job's routes."
                                                              : "the mean latency of its messages' routes."));
  page.figure("flip");
  add_table(page, result);
  add_left_out(page, result);
  page.figure("origin", "Where it comes from");
  return page;
}

// A bar for each value: the fastest grid, and what the one after it takes more.
Chart chart_of(const FlipResult& result) {
  const TimeScale time = scale_of(result);
  Chart chart{.id = "chart-flip",
              .description = "A bar for each " + std::string(name_of(result.quantity)) +
                             ": the iteration of the fastest grid, and what the second takes more. The table after it "
                             "has the numbers.",
              .caption = "Iteration of the fastest grid, and of the second beyond it, " + time.unit(),
              .unit = time.unit(),
              .labels = {},
              .series = {}};
  ordered_json fastest = ordered_json::array(), second = ordered_json::array();
  for (const FlipPoint& point : result.points) {
    const std::vector<std::size_t> order = ranked(point);
    const double least_s = *point.iteration_s[order[0]];
    chart.labels.push_back(format_value(result.quantity, point.value) + ": " + to_string(result.grids[order[0]]));
    fastest.push_back(time.in_unit(least_s));
    second.push_back(order.size() > 1 ? time.in_unit(*point.iteration_s[order[1]] - least_s) : 0);
  }
  chart.series = {{"fastest", static_cast<int>(Phase::forward), std::move(fastest)},
                  {"second, beyond the fastest", -1, std::move(second)}};
  return chart;
}

}  // namespace

std::string to_text(const FlipResult& result) { return report_of(result).text(); }

std::string to_page(const FlipResult& result) {
  const Page report = report_of(result);
  const std::vector<Chart> charts{chart_of(result)};
  const std::string body = to_html(report, [&](const std::string& name) -> std::string {
    if (name == "flip") return figure_html(charts.front());
    return result.passport ? origin(*result.passport, SIMTRAIN_VERSION) : "";
  });
  return web_page(report.blocks().front().text + " - simtrain", body, charts);
}

std::string to_json(const FlipResult& result) {
  ordered_json value = {{"schema", "simtrain-flip"},
                        {"schema_version", 2},
                        {"version", SIMTRAIN_VERSION},
                        {"network", result.network},
                        {"batch", result.batch},
                        {"platform", result.platform},
                        {"strategy", result.strategy},
                        {"collectives", result.collectives},
                        {"quantity", name_of(result.quantity)},
                        {"as_given", finite("as_given", result.as_given)},
                        {"verdict", verdict(result)}};
  value["changes"] = ordered_json::array();
  for (const Crossing& one : result.crossings.crossings)
    value["changes"].push_back({{"below", finite("below", one.below)},
                                {"above", finite("above", one.above)},
                                {"grid_below", grid_at(result, one.before)},
                                {"grid_above", grid_at(result, one.after)}});
  value["grids"] = ordered_json::array();
  for (const Grid grid : result.grids) value["grids"].push_back(to_string(grid));
  value["points"] = ordered_json::array();
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    ordered_json point = {{"value", finite("value", result.points[i].value)},
                          {"fastest", grid_at(result, result.crossings.best[i])},
                          {"second", nullptr},
                          {"margin", nullptr},
                          {"iteration_s", ordered_json::array()}};
    if (const std::vector<std::size_t> order = ranked(result.points[i]); order.size() > 1) {
      point["second"] = to_string(result.grids[order[1]]);
      point["margin"] = finite("margin", margin_of(result.points[i], order));
    }
    for (const std::optional<double>& seconds : result.points[i].iteration_s)
      point["iteration_s"].push_back(seconds ? finite("iteration_s", *seconds) : ordered_json(nullptr));
    value["points"].push_back(std::move(point));
  }
  add_passport(result.passport, value);
  return json_text(value);
}

}  // namespace simtrain
