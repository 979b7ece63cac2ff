#include <algorithm>
#include <vector>

#include "base/units.hpp"
#include "report/sections.hpp"

namespace simtrain {

namespace {

double compute_s(const LayerResult& layer) {
  return layer.forward_s.mean + layer.backward_s.mean + layer.update_s.mean;
}

double waited_s(const LayerResult& layer) {
  double sum = 0;
  for (const auto exchange : kExchangesOfLayer) sum += (layer.*exchange).waited_s();
  return sum;
}

double all_s(const LayerResult& layer) { return compute_s(layer) + waited_s(layer); }

double sent(const LayerResult& layer) {
  double sum = 0;
  for (const auto exchange : kExchangesOfLayer) sum += (layer.*exchange).bytes_sent.mean;
  return sum;
}

std::string bytes_cell(double bytes) { return bytes > 0 ? format_bytes(bytes) : "-"; }

// Columns that few jobs need. With several of them lines get long: headings are then short, and with three or more the
// sum of computing, which can be worked out, is left out.
struct RareColumns {
  bool redistribute, halo, reduce_output, overlaps;
  [[nodiscard]] int count() const {
    return static_cast<int>(redistribute) + static_cast<int>(halo) + static_cast<int>(reduce_output) +
           static_cast<int>(overlaps);
  }
  [[nodiscard]] bool narrow() const { return reduce_output || count() > 1; }
  [[nodiscard]] bool sum() const { return count() < 3; }
};
RareColumns rare_columns(const Result& result) {
  const auto any = [&](CollectiveResult LayerResult::*collective) {
    return std::any_of(result.layers.begin(), result.layers.end(),
                       [&](const LayerResult& layer) { return (layer.*collective).algorithm != "none"; });
  };
  return {any(&LayerResult::redistribute), any(&LayerResult::halo), any(&LayerResult::reduce_output),
          result.job.overlaps()};
}

std::vector<std::string> cells(const std::string& name, const LayerResult& layer, const TimeScale& time,
                               RareColumns rare) {
  std::vector<std::string> cells{name, time(layer.forward_s.mean), time(layer.backward_s.mean),
                                 time(layer.update_s.mean)};
  if (rare.sum()) cells.push_back(time(compute_s(layer)));
  for (const auto collective : {&LayerResult::all_gather, &LayerResult::reduce_data, &LayerResult::reduce_weights})
    cells.push_back(time((layer.*collective).seconds.mean));
  if (rare.redistribute) cells.push_back(time(layer.redistribute.seconds.mean));
  if (rare.halo) cells.push_back(time(layer.halo.seconds.mean));
  if (rare.reduce_output) cells.push_back(time(layer.reduce_output.seconds.mean));
  if (rare.overlaps) cells.push_back(time(waited_s(layer)));
  cells.push_back(bytes_cell(sent(layer)));
  return cells;
}

std::vector<Table::Column> columns_of(RareColumns rare) {
  const std::string compute = "compute", communication = "communication";
  std::vector<Table::Column> columns{{.heading = "layer", .align = Table::Align::left}};
  const auto add = [&](const std::string& heading, const std::string& group) {
    columns.push_back({.heading = heading, .group = group});
  };
  for (const char* heading : {"forward", "backward", "update"}) add(heading, compute);
  if (rare.sum()) add("sum", compute);
  const std::string all = rare.narrow() ? "" : "all-";
  add(all + "gather\nY", communication);
  add(all + "reduce\ndX", communication);
  add(all + "reduce\ndW", communication);
  if (rare.redistribute) add("redis-\ntribute", communication);
  if (rare.halo) add("halo", communication);
  if (rare.reduce_output) add(all + "reduce\nY", communication);
  if (rare.overlaps) add("of it\nexposed", communication);
  add("sent\nper rank", communication);
  return columns;
}

// Means of all layers added up, in the shape of a layer.
LayerResult total_of(const std::vector<LayerResult>& layers) {
  LayerResult total;
  for (const LayerResult& layer : layers) {
    total.forward_s.mean += layer.forward_s.mean;
    total.backward_s.mean += layer.backward_s.mean;
    total.update_s.mean += layer.update_s.mean;
    for (const auto collective : kExchangesOfLayer) {
      (total.*collective).seconds.mean += (layer.*collective).seconds.mean;
      if (const auto& exposed = (layer.*collective).exposed_s)
        (total.*collective).exposed_s = (total.*collective).exposed_s.value_or(0) + *exposed;
      (total.*collective).bytes_sent.mean += (layer.*collective).bytes_sent.mean;
    }
  }
  return total;
}

// "Most time: fc6 (41.2 %), conv2 (20.1 %)": at most three layers that take a tenth or more.
void add_heaviest(Page& page, const Result& result, double total_s) {
  if (result.layers.size() < 2 || total_s <= 0) return;
  std::vector<const LayerResult*> order;
  for (const LayerResult& layer : result.layers)
    if (all_s(layer) >= 0.1 * total_s) order.push_back(&layer);
  if (order.empty()) return;
  std::stable_sort(order.begin(), order.end(), [](auto a, auto b) { return all_s(*a) > all_s(*b); });
  order.resize(std::min<std::size_t>(order.size(), 3));
  std::string names;
  for (const LayerResult* layer : order)
    names += (names.empty() ? "" : ", ") + layer->name + " (" + format_share(all_s(*layer), total_s) + ")";
  page.sentence("Most time: " + names + ".");
}

// A rank's own extremes are not known, but uneven blocks go to the same ranks in every layer, so that the sum of the
// layers' extremes is that of the most and least loaded rank.
void add_imbalance(Page& page, const Result& result) {
  Spread compute, bytes;
  const auto add = [](Spread& sum, const Spread& spread) {
    sum = {.min = sum.min + spread.min, .mean = sum.mean + spread.mean, .max = sum.max + spread.max};
  };
  for (const LayerResult& layer : result.layers) {
    for (const Spread& spread : {layer.forward_s, layer.backward_s, layer.update_s}) add(compute, spread);
    for (const auto exchange : kExchangesOfLayer) add(bytes, (layer.*exchange).bytes_sent);
  }
  constexpr double kWorthMentioning = 1.02;
  std::string text;
  if (compute.max > kWorthMentioning * compute.mean)
    text = "slowest rank computes " + format_ratio(compute.max, compute.mean) + " times the mean, fastest " +
           format_ratio(compute.min, compute.mean) + " times";
  if (bytes.max > kWorthMentioning * bytes.mean)
    text += (text.empty() ? "" : "; ") + ("busiest sender sends " + format_ratio(bytes.max, bytes.mean)) +
            " times the mean";
  if (!text.empty()) page.sentence("Imbalance, added up by layer: " + text + ".");
}

}  // namespace

void add_layers(Page& page, const Result& result) {
  const LayerResult total = total_of(result.layers);
  const TimeScale time(all_s(total));
  page.heading("Layers (" + time.unit() + " per iteration, mean over ranks)");
  page.figure("layers");

  const RareColumns rare = rare_columns(result);
  Table table(columns_of(rare));
  for (const LayerResult& layer : result.layers) table.row(cells(layer.name, layer, time, rare));
  table.rule();
  table.row(cells("total", total, time, rare));
  page.table(table);
  add_heaviest(page, result, all_s(total));
  add_imbalance(page, result);
}

void add_shares(Page& page, const Result& result) {
  const double compute = result.compute_s(), communication = result.exposed_s();
  const double whole = std::max(result.iteration_s, compute + communication);
  const double other = whole - compute - communication;
  const auto bar = [&](double part) {
    constexpr double kFull = 40;
    std::string text;
    for (int i = 0; whole > 0 && i < static_cast<int>(kFull * part / whole + 0.5); ++i) text += "█";
    return text;
  };

  page.heading("Where the time goes (mean over ranks)");
  Table table({{.heading = "", .align = Table::Align::left},
               {.heading = ""},
               {.heading = ""},
               {.heading = "", .align = Table::Align::left}});
  table.row({"compute", format_seconds(compute), format_share(compute, whole), bar(compute)});
  const bool overlaps = result.job.overlaps();
  table.row({overlaps ? "exposed communication" : "communication", format_seconds(communication),
             format_share(communication, whole), bar(communication)});
  if (overlaps)
    table.row({"  hidden beside it", format_seconds(result.hidden_s()),
               format_share(result.hidden_s(), result.communication_s()), "of communication"});
  if (result.reduction_s() > 0)
    table.row({overlaps ? "  adding, in both" : "  of it adding", format_seconds(result.reduction_s()),
               format_share(result.reduction_s(), result.communication_s()), "of communication"});
  // The iteration is the slowest rank's; the rest of the mean rank's time is idling and what no layer is charged with.
  if (other > 0.005 * whole) table.row({"neither", format_seconds(other), format_share(other, whole), bar(other)});
  page.table(table);
  if (overlaps)
    page.sentence(
        "exposed: the rank computed nothing because of it. hidden: between a collective's begin and end, behind "
        "computing or other communication.");
  if (other > 0.005 * whole)
    page.sentence(
        "neither: the iteration is the slowest rank's; the mean rank computes and communicates for less of it.");
}

}  // namespace simtrain
