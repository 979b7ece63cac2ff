#include "report/figures.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "base/units.hpp"
#include "report/collective_of.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

std::string fact(const std::string& name, const std::string& value) {
  return "<div><dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd></div>\n";
}

double compute_s(const LayerResult& layer, Phase phase) {
  return phase == Phase::forward    ? layer.forward_s.mean
         : phase == Phase::backward ? layer.backward_s.mean
                                    : layer.update_s.mean;
}

// A series of the layers' chart; nothing where no layer has any of it.
template <typename Seconds>
void add_series(Chart& chart, const Result& result, const TimeScale& time, const std::string& name, int color,
                const Seconds& seconds_of) {
  ordered_json values = ordered_json::array();
  double most_s = 0;
  for (const LayerResult& layer : result.layers) {
    const double seconds = seconds_of(layer);
    most_s = std::max(most_s, seconds);
    values.push_back(time.in_unit(seconds));
  }
  if (most_s > 0) chart.series.push_back({name, color, std::move(values)});
}

double waited_s(const LayerResult& layer) {
  double seconds = 0;
  for_each_collective(layer, [&](Phase, const CollectiveResult& one) { seconds += one.waited_s(); });
  return seconds;
}

double layer_s(const LayerResult& layer) {
  return layer.forward_s.mean + layer.backward_s.mean + layer.update_s.mean + waited_s(layer);
}

}  // namespace

std::string key_figures(const Result& result) {
  std::string cards = fact("iteration", format_seconds(result.iteration_s));
  if (result.replicas) {
    const Distribution seconds = result.replicas->iterations();
    cards += fact("90 % of replicas", format_seconds(seconds.p5) + " to " + format_seconds(seconds.p95));
  }
  cards += fact("throughput", format_count(result.images_per_s()) + " images/s");
  if (result.job.epoch_images > 0) cards += fact("epoch", format_seconds(result.epoch_s()));
  const double whole_s = result.compute_s() + result.exposed_s();
  cards += fact("computing", format_share(result.compute_s(), whole_s));
  cards += fact(result.job.overlaps() ? "exposed communication" : "communication",
                format_share(result.exposed_s(), whole_s));
  cards += fact("sent per rank", format_bytes(result.bytes_sent()));
  cards += fact("memory per rank", format_bytes(result.memory.total()));
  return "<dl class=\"cards\">\n" + cards + "</dl>\n";
}

std::string origin(const Passport& passport, const std::string& version) {
  std::string facts = fact("command", shell_command(passport.program, passport.arguments));
  std::string versions = passport.program + " " + version;
  for (const auto& [name, one] : passport.versions) versions += ", " + name + " " + one;
  facts += fact("versions", versions);
  for (const PassportInput& input : passport.inputs)
    facts += fact(input.option, input.name + ", SHA-256 " + input.sha256);
  return "<dl class=\"facts\">\n" + facts + "</dl>\n";
}

std::string layers_figure(const Result& result, std::vector<Chart>& charts) {
  double most_s = 0;
  for (const LayerResult& layer : result.layers) most_s = std::max(most_s, layer_s(layer));
  if (most_s <= 0) return "";
  const TimeScale time(most_s);
  Chart chart{.id = "chart-layers",
              .description = "Bars of " + counted(static_cast<std::int64_t>(result.layers.size()), "layer") +
                             ": computing and communication, stacked. The table after it has the numbers.",
              .caption = "Computing and " + std::string(result.job.overlaps() ? "exposed " : "") +
                         "communication of each layer, " + time.unit() + " per iteration, mean over ranks",
              .unit = time.unit(),
              .labels = {},
              .series = {}};
  for (const LayerResult& layer : result.layers) chart.labels.push_back(layer.name);
  for (int number = 0; number < kPhases; ++number) {
    const auto phase = static_cast<Phase>(number);
    if (computes(phase))
      add_series(chart, result, time, name_of(phase), number,
                 [&](const LayerResult& layer) { return compute_s(layer, phase); });
    else if (!result.job.overlaps())
      add_series(chart, result, time, name_of(phase), number,
                 [&](const LayerResult& layer) { return collective_of(layer, phase)->seconds.mean; });
  }
  if (result.job.overlaps()) add_series(chart, result, time, "exposed communication", -1, waited_s);
  charts.push_back(chart);
  return figure_html(chart);
}

std::string memory_figure(const Result& result, std::vector<Chart>& charts) {
  const MemoryResult& memory = result.memory;
  if (memory.total() <= 0) return "";
  constexpr double kMiB = 1024.0 * 1024.0;
  Chart chart{.id = "chart-memory",
              .description = "One bar: what a rank's memory holds. The table after it has the numbers.",
              .caption = "Memory of the rank that needs most, MiB",
              .unit = "MiB",
              .labels = {"rank"},
              .series = {}};
  int color = 0;
  for (const auto& [name, bytes] : {std::pair{"weights", memory.weights},
                                    {"gradients", memory.gradients},
                                    {"momentum", memory.momentum},
                                    {"activations", memory.activations},
                                    {"buffers", memory.buffers}}) {
    if (bytes > 0) chart.series.push_back({name, color, ordered_json::array({bytes / kMiB})});
    ++color;
  }
  charts.push_back(chart);
  return figure_html(chart);
}

}  // namespace simtrain
