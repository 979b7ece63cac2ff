#include "report/pages.hpp"

#include <algorithm>

#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/sections.hpp"
#include "report/web_page.hpp"

namespace simtrain {

namespace {

std::string figure_of(const std::string& name, const Result& result, std::vector<Chart>& charts) {
  if (name == "key") return key_figures(result);
  if (name == "layers") return layers_figure(result, charts);
  if (name == "timeline") return timeline_figure(result, charts);
  if (name == "links") return links_figure(result);
  if (name == "memory") return memory_figure(result, charts);
  if (name == "origin" && result.passport) return origin(*result.passport, result.version);
  return "";
}

}  // namespace

std::string prediction_page(const Result& result) {
  Page report;
  add_report(report, result);
  std::vector<Chart> charts;
  const auto draw = [&](const std::string& name) { return figure_of(name, result, charts); };
  const std::string body = to_html(report, draw);
  const std::string title = result.job.network + " on " + std::to_string(result.job.grid_rows) + " x " +
                            std::to_string(result.job.grid_columns) +
                            (result.platform ? ", " + result.platform->name : "");
  return web_page(title + " - simtrain", body, charts);
}

namespace {

constexpr std::size_t kShownWhole = 20;  // characters of a label, by page.js

Chart sweep_chart(const std::vector<SweepBar>& bars) {
  double most_s = 0;
  for (const SweepBar& bar : bars) most_s = std::max(most_s, bar.result->iteration_s);
  const TimeScale time(most_s);
  Chart chart{.id = "chart-sweep",
              .description = "Bars of " + counted(static_cast<std::int64_t>(bars.size()), "point") +
                             ", fastest first: computing, communication and the rest of the iteration, stacked. The "
                             "table after it has the numbers.",
              .caption = "Computing and communication, " + time.unit() + " per iteration, mean over ranks",
              .unit = time.unit(),
              .labels = {},
              .series = {}};
  const bool intervals = std::all_of(bars.begin(), bars.end(), [](const auto& bar) { return bar.result->replicas; });
  if (intervals) chart.caption += "; lines: where 90 % of the replicas are";
  // The page shortens what is longer; the number, as in the table, tells such points from one another.
  const bool numbered =
      std::any_of(bars.begin(), bars.end(), [](const auto& bar) { return text_width(bar.label) > kShownWhole; });
  nlohmann::ordered_json compute, communication, neither;
  for (const SweepBar& bar : bars) {
    chart.labels.push_back((numbered ? "#" + std::to_string(chart.labels.size() + 1) + " " : "") + bar.label);
    if (intervals) {
      const Distribution seconds = bar.result->replicas->iterations();
      chart.intervals.push_back({time.in_unit(seconds.p5), time.in_unit(seconds.p95)});
    }
    const double computing_s = bar.result->compute_s(), exposed_s = bar.result->exposed_s();
    compute.push_back(time.in_unit(computing_s));
    communication.push_back(time.in_unit(exposed_s));
    neither.push_back(time.in_unit(std::max(0.0, bar.result->iteration_s - computing_s - exposed_s)));
  }
  chart.series = {{"computing", static_cast<int>(Phase::forward), std::move(compute)},
                  {"communication", static_cast<int>(Phase::reduce_data), std::move(communication)},
                  {"neither", -1, std::move(neither)}};
  return chart;
}

}  // namespace

std::string sweep_page(const Page& report, const std::vector<SweepBar>& bars, const std::optional<Passport>& passport) {
  std::vector<Chart> charts;
  const auto draw = [&](const std::string& name) -> std::string {
    if (name == "origin") return passport ? origin(*passport, SIMTRAIN_VERSION) : "";
    if (bars.empty()) return "";
    if (name == "sweep") return figure_html(charts.emplace_back(sweep_chart(bars)));
    return figure_of(name, *bars.front().result, charts);
  };
  const std::string body = to_html(report, draw);
  return web_page((report.blocks().empty() ? "Sweep" : report.blocks().front().text) + " - simtrain", body, charts);
}

}  // namespace simtrain
