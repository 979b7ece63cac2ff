// What was found about changes of the best grid, as text and JSON.
#include <algorithm>
#include <array>
#include <cstdio>

#include "base/units.hpp"
#include "report/json_value.hpp"
#include "report/page.hpp"
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

void add_table(Page& page, const FlipResult& result) {
  // The grids that win somewhere, and the one that is next to them most often: others only crowd the table.
  std::vector<std::size_t> shown;
  for (std::size_t g = 0; g < result.grids.size(); ++g)
    if (std::find(result.crossings.best.begin(), result.crossings.best.end(), static_cast<int>(g)) !=
        result.crossings.best.end())
      shown.push_back(g);
  double largest_s = 0;
  for (const FlipPoint& point : result.points)
    for (const std::size_t g : shown) largest_s = std::max(largest_s, point.iteration_s[g].value_or(0));
  const TimeScale time(largest_s);
  page.heading("Iteration of the grids that win somewhere (" + time.unit() + ")");
  std::vector<Table::Column> columns{{.heading = std::string(name_of(result.quantity))}, {.heading = "fastest"}};
  for (const std::size_t g : shown) columns.push_back({.heading = to_string(result.grids[g])});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    std::vector<std::string> cells{format_value(result.quantity, result.points[i].value),
                                   grid_at(result, result.crossings.best[i])};
    for (const std::size_t g : shown) {
      const std::optional<double>& seconds = result.points[i].iteration_s[g];
      cells.push_back(seconds ? time(*seconds) : "-");
    }
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

std::string to_text(const FlipResult& result) {
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
  add_table(page, result);
  add_left_out(page, result);
  return page.text();
}

std::string to_json(const FlipResult& result) {
  ordered_json value = {{"schema", "simtrain-flip"},
                        {"schema_version", 1},
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
                          {"iteration_s", ordered_json::array()}};
    for (const std::optional<double>& seconds : result.points[i].iteration_s)
      point["iteration_s"].push_back(seconds ? finite("iteration_s", *seconds) : ordered_json(nullptr));
    value["points"].push_back(std::move(point));
  }
  return json_text(value);
}

}  // namespace simtrain
