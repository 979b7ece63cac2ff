#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "base/units.hpp"
#include "report/json_value.hpp"
#include "report/page.hpp"
#include "report/passport_json.hpp"
#include "sim/commands/cost_command.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

// Of a grid, what one way of pricing says; none where it says nothing.
using Price = std::function<std::optional<double>(const GridCost&)>;

struct Way {
  const char* name;  // in sentences
  const char* key;   // in JSON
  Price price;
};

template <typename Value>
Price of_possible(Value value) {
  return [value](const GridCost& cost) {
    return cost.impossible.empty() ? std::optional<double>(value(cost)) : std::nullopt;
  };
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {"formula (8), d before pooling", "formula_8_before_pooling",
       of_possible([](const GridCost& cost) { return cost.formula_8_s.before_s; })},
      {"formula (8), d after pooling", "formula_8_after_pooling",
       of_possible([](const GridCost& cost) { return cost.formula_8_s.after_s; })},
      {"formula (9)", "formula_9", [](const GridCost& cost) { return cost.formula_9_s; }},
      {"the schedules", "schedule", [](const GridCost& cost) { return cost.schedule_s; }}};
  return all;
}

// The grid that costs least, the first of equal ones; null where there is none.
const GridCost* best_by(const CostTable& table, const Price& price) {
  const GridCost* best = nullptr;
  for (const GridCost& cost : table.grids)
    if (price(cost) && (best == nullptr || *price(cost) < *price(*best))) best = &cost;
  return best;
}

// Pure batch parallelism, which everything is held against.
const GridCost* pure_batch(const CostTable& table) {
  const auto found =
      std::find_if(table.grids.begin(), table.grids.end(), [](const GridCost& cost) { return cost.grid.rows == 1; });
  return found == table.grids.end() || !found->impossible.empty() ? nullptr : &*found;
}

bool redistributes(const CostTable& table) {
  return std::any_of(table.grids.begin(), table.grids.end(),
                     [](const GridCost& cost) { return cost.formula_6_s.before_s > 0; });
}

void add_layers(Page& page, const CostTable& table) {
  page.heading("Layers");
  Table layers({{.heading = "layer", .align = Table::Align::left},
                {.heading = "|W|"},
                {.heading = "before", .group = "d, pooling"},
                {.heading = "after", .group = "d, pooling"}});
  for (std::size_t i = 0; i < table.layers_before.size(); ++i)
    layers.row({table.layers_before[i].name, format_count(table.layers_before[i].weights),
                format_count(table.layers_before[i].d), format_count(table.layers_after[i].d)});
  page.table(layers);
  page.sentence(
      "|W|: weights without biases; d: values a sample of the layer's output, before pooling as formula (8) "
      "counts them, after it as --gather after-pooling moves them.");
}

void add_pure(Page& page, const CostJob& job) {
  const CostTable& table = job.table;
  page.heading("All layers alike");
  page.fact("model (3)", format_seconds(table.formula_3_s.before_s) + " with d before pooling, " +
                             format_seconds(table.formula_3_s.after_s) + " after it");
  page.fact("batch (4)",
            table.formula_4_s ? format_seconds(*table.formula_4_s) : "not possible: fewer samples than processes");
  page.fact("domain (7)", table.formula_7_s ? format_seconds(*table.formula_7_s) + " for the convolutions"
                                            : "not possible: no convolutions, or images of fewer rows than processes");
}

void add_grids(Page& page, const CostJob& job) {
  const CostTable& table = job.table;
  double most = 0;
  for (const GridCost& cost : table.grids)
    for (const Way& way : ways()) most = std::max(most, way.price(cost).value_or(0));
  const TimeScale time(most);
  const bool convolutions = std::any_of(table.grids.begin(), table.grids.end(),
                                        [](const GridCost& cost) { return cost.formula_9_s.has_value(); });
  const bool moved = redistributes(table);
  page.heading("Communication (" + time.unit() + " per iteration), least by formula (8) first");
  const std::string eight = "formula (8), d", six = "formula (6), d";
  std::vector<Table::Column> columns{{.heading = "Pr x Pc"},
                                     {.heading = "before\npooling", .group = eight},
                                     {.heading = "after\npooling", .group = eight},
                                     {.heading = "1 x P /\nbefore"}};
  if (moved)
    columns.insert(columns.end(),
                   {{.heading = "before\npooling", .group = six}, {.heading = "after\npooling", .group = six}});
  if (convolutions) columns.push_back({.heading = "formula\n(9)"});
  columns.push_back({.heading = "schedules"});
  Table grids(std::move(columns));
  const GridCost* batch = pure_batch(table);
  const auto cell = [&](const std::optional<double>& seconds) { return seconds ? time(*seconds) : std::string("-"); };
  for (const GridCost& cost : table.grids) {
    if (!cost.impossible.empty() && !cost.formula_9_s) continue;
    std::vector<std::string> cells{std::to_string(cost.grid.rows) + " x " + std::to_string(cost.grid.columns),
                                   cell(ways()[0].price(cost)), cell(ways()[1].price(cost))};
    cells.push_back(batch != nullptr && cost.impossible.empty()
                        ? format_ratio(batch->formula_8_s.before_s, cost.formula_8_s.before_s)
                        : "-");
    if (moved) cells.insert(cells.end(), {time(cost.formula_6_s.before_s), time(cost.formula_6_s.after_s)});
    if (convolutions) cells.push_back(cell(cost.formula_9_s));
    cells.push_back(cell(cost.schedule_s));
    grids.row(std::move(cells));
  }
  page.table(grids);
}

// The grids whose computing is priced, fastest iteration first.
std::vector<const GridCost*> computed(const CostTable& table) {
  std::vector<const GridCost*> grids;
  for (const GridCost& cost : table.grids)
    if (cost.computing) grids.push_back(&cost);
  std::stable_sort(grids.begin(), grids.end(),
                   [](const GridCost* a, const GridCost* b) { return *a->iteration_s < *b->iteration_s; });
  return grids;
}

double gemm_rate(const ComputeCost& cost) { return cost.mean_s > 0 ? cost.gemm_flops / cost.mean_s : 0; }

std::string fixed(double value, const char* format) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

void add_computing(Page& page, const CostTable& table) {
  const std::vector<const GridCost*> grids = computed(table);
  if (grids.empty()) return;
  double most = 0;
  for (const GridCost* cost : grids) most = std::max(most, *cost->iteration_s);
  const TimeScale time(most);
  page.heading("Iteration (" + time.unit() + "), fastest first");
  const std::string compute = "computing, mean over ranks";
  Table rows({{.heading = "Pr x Pc"},
              {.heading = "iteration"},
              {.heading = "schedules"},
              {.heading = time.unit(), .group = compute},
              {.heading = "Gflop/s", .group = compute},
              {.heading = "extrapolated", .group = compute}});
  for (const GridCost* cost : grids)
    rows.row(
        {std::to_string(cost->grid.rows) + " x " + std::to_string(cost->grid.columns), time(*cost->iteration_s),
         time(*cost->schedule_s), time(cost->computing->mean_s), fixed(gemm_rate(*cost->computing) / 1e9, "%.1f"),
         format_percent(cost->computing->mean_s > 0 ? cost->computing->extrapolated_s / cost->computing->mean_s : 0)});
  page.table(rows);
  page.sentence(
      "Gflop/s: operations of the matrix products over the time of all computing. Extrapolated: the share of "
      "that time outside the range that the profile measured. The iteration has the additions and copies of "
      "communication and waiting for slower ranks, which schedules alone have not.");
}

void add_best(Page& page, const CostTable& table) {
  for (const Way& way : ways()) {
    const GridCost* best = best_by(table, way.price);
    if (best == nullptr) continue;
    const GridCost* batch = pure_batch(table);
    std::string text =
        std::string("Best by ") + way.name + ": " + to_string(best->grid) + ", " + format_seconds(*way.price(*best));
    if (batch != nullptr && best != batch && way.price(*batch))
      text += ", " + format_ratio(*way.price(*batch), *way.price(*best)) + " times less than pure batch";
    const bool unpriced = std::any_of(table.grids.begin(), table.grids.end(), [&](const GridCost& cost) {
      return cost.impossible.empty() && !way.price(cost);
    });
    page.sentence(text + (unpriced ? ", of the grids that have one." : "."));
  }
  if (const auto grids = computed(table); !grids.empty())
    page.sentence("Fastest iteration, of the grids that have one: " + to_string(grids.front()->grid) + ", " +
                  format_seconds(*grids.front()->iteration_s) + ".");
}

void add_notes(Page& page, const CostJob& job) {
  const CostTable& table = job.table;
  std::int64_t unpriced = 0, impossible = 0;
  std::string why;
  for (const GridCost& cost : table.grids) {
    if (!cost.impossible.empty()) {
      ++impossible;
      why = cost.impossible;
    } else if (!cost.schedule_s) {
      ++unpriced;
    }
  }
  if (unpriced > 0)
    page.sentence("The schedules of " + counted(unpriced, "grid") + " are not priced: with those of the grids that " +
                  "send fewer messages they have more than " + format_count(job.most_messages) + ".");
  if (impossible > 0) page.sentence(counted(impossible, "grid") + " not possible with this strategy: " + why + ".");
  page.sentence(
      "Formulas: Gholami et al., arXiv 1712.04432, as printed, words of 4 bytes. (8): layers on their grids" +
      std::string(job.table.in_strips
                      ? ", those in strips by (7), which makes it (9). (9): the same."
                      : ". (9): convolutions with images cut into Pr strips, as far as they have as many rows, all "
                        "else on the grid; a formula only.") +
      (job.table.by_columns ? " Layers split by columns: an all-reduce of Y in place of the all-gather of Y and the "
                              "all-reduce of dX, which the paper has not; no all-gather of what they alone read."
                            : "") +
      " (6): moving activations to layers on other grids, which (8) lacks.");
  page.sentence("Schedules: the messages of this program (collectives " + std::string(name_of(job.plan.algorithm)) +
                ", gathered " + std::string(name_of(job.plan.gather)) + "), each alone on its route.");
}

// Without its folder, which differs from machine to machine.
std::string profile_name(const CostJob& job) { return std::filesystem::path(job.profile).filename().string(); }

}  // namespace

std::string to_text(const CostJob& job) {
  Page page;
  page.heading(std::string("simtrain ") + SIMTRAIN_VERSION + ": cost of communication");
  page.fact("network", job.network.name + ", batch " + format_count(static_cast<double>(job.plan.batch)));
  page.fact("processes", format_count(job.processes));
  page.fact("strategy", to_string(job.plan.strategy));
  page.fact("messages",
            "alpha = " + format_seconds(job.latency_s) + ", 1/beta = " + format_bandwidth(job.bandwidth_Bps));
  if (!job.profile.empty()) page.fact("profile", profile_name(job));
  add_layers(page, job.table);
  add_pure(page, job);
  add_grids(page, job);
  add_computing(page, job.table);
  add_best(page, job.table);
  add_notes(page, job);
  return page.text();
}

namespace {

ordered_json optional(const char* key, const std::optional<double>& value) {
  return value ? finite(key, *value) : ordered_json(nullptr);
}

ordered_json parts(const ExchangeSeconds& seconds) {
  ordered_json value = {{"all_gather", finite("all_gather", seconds[Exchange::all_gather])},
                        {"reduce_data", finite("reduce_data", seconds[Exchange::reduce_data])},
                        {"reduce_weights", finite("reduce_weights", seconds[Exchange::reduce_weights])},
                        {"redistribute", finite("redistribute", seconds[Exchange::redistribute])},
                        {"halo", finite("halo", seconds[Exchange::halo])}};
  if (seconds[Exchange::reduce_output] > 0)
    value["reduce_output"] = finite("reduce_output", seconds[Exchange::reduce_output]);
  return value;
}

ordered_json write(const ComputeCost& cost) {
  return {{"mean_s", finite("mean_s", cost.mean_s)},
          {"longest_s", finite("longest_s", cost.longest_s)},
          {"extrapolated_s", finite("extrapolated_s", cost.extrapolated_s)},
          {"gemm_flops", finite("gemm_flops", cost.gemm_flops)}};
}

ordered_json write(const CostTable& table) {
  ordered_json grids = ordered_json::array();
  for (const GridCost& cost : table.grids) {
    ordered_json value = {{"grid_rows", cost.grid.rows}, {"grid_columns", cost.grid.columns}};
    value["impossible"] = cost.impossible.empty() ? ordered_json(nullptr) : ordered_json(cost.impossible);
    for (const Way& way : ways()) value[std::string(way.key) + "_s"] = optional(way.key, way.price(cost));
    value["formula_6_before_pooling_s"] =
        optional("formula_6", of_possible([](const GridCost& one) { return one.formula_6_s.before_s; })(cost));
    value["formula_6_after_pooling_s"] =
        optional("formula_6", of_possible([](const GridCost& one) { return one.formula_6_s.after_s; })(cost));
    value["formula_8_before_pooling_parts_s"] =
        cost.impossible.empty() ? parts(cost.formula_8_parts) : ordered_json(nullptr);
    value["schedule_parts_s"] = cost.schedule_parts ? parts(*cost.schedule_parts) : ordered_json(nullptr);
    value["messages"] = optional("messages", cost.messages);
    if (cost.computing) {
      value["computing"] = write(*cost.computing);
      value["iteration_s"] = optional("iteration_s", cost.iteration_s);
    }
    grids.push_back(std::move(value));
  }
  return grids;
}

}  // namespace

std::string to_json(const CostJob& job) {
  const CostTable& table = job.table;
  ordered_json value = {{"schema", "simtrain-cost"},
                        {"schema_version", 2},
                        {"version", SIMTRAIN_VERSION},
                        {"network", job.network.name},
                        {"batch", job.plan.batch},
                        {"processes", job.processes},
                        {"strategy", to_string(job.plan.strategy)},
                        {"collectives", name_of(job.plan.algorithm)},
                        {"gather", name_of(job.plan.gather)},
                        {"latency_s", finite("latency_s", job.latency_s)},
                        {"bandwidth_Bps", finite("bandwidth_Bps", job.bandwidth_Bps)}};
  if (!job.profile.empty()) value["profile"] = profile_name(job);
  value["layers"] = ordered_json::array();
  for (std::size_t i = 0; i < table.layers_before.size(); ++i)
    value["layers"].push_back({{"name", table.layers_before[i].name},
                               {"weights", table.layers_before[i].weights},
                               {"d_before_pooling", table.layers_before[i].d},
                               {"d_after_pooling", table.layers_after[i].d}});
  value["formula_3_before_pooling_s"] = finite("formula_3", table.formula_3_s.before_s);
  value["formula_3_after_pooling_s"] = finite("formula_3", table.formula_3_s.after_s);
  value["formula_4_s"] = optional("formula_4", table.formula_4_s);
  value["formula_7_s"] = optional("formula_7", table.formula_7_s);
  value["grids"] = write(table);
  value["best"] = ordered_json::object();
  for (const Way& way : ways()) {
    const GridCost* best = best_by(table, way.price);
    value["best"][way.key] = best != nullptr ? ordered_json(to_string(best->grid)) : ordered_json(nullptr);
  }
  add_passport(job.passport, value);
  return json_text(value);
}

}  // namespace simtrain
