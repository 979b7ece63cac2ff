#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/units.hpp"
#include "report/sections.hpp"

namespace simtrain {

namespace {

struct Kind {
  const char* name;
  CollectiveResult LayerResult::*collective;
};
constexpr std::array<Kind, 6> kKinds{{{"all-gather Y", &LayerResult::all_gather},
                                      {"all-reduce dX", &LayerResult::reduce_data},
                                      {"all-reduce dW", &LayerResult::reduce_weights},
                                      {"redistribute", &LayerResult::redistribute},
                                      {"halo", &LayerResult::halo},
                                      {"all-reduce Y", &LayerResult::reduce_output}}};
constexpr bool is_rare(const Kind& kind) {
  return kind.collective == &LayerResult::redistribute || kind.collective == &LayerResult::halo ||
         kind.collective == &LayerResult::reduce_output;
}

// One row of the table: a kind of collective over all layers.
struct KindTotal {
  std::string algorithm = "-", ranks = "-";
  double seconds = 0, alpha_beta_s = 0, paper_s = 0;
  [[nodiscard]] bool any() const { return algorithm != "-"; }
};

// "ring", "ring, bruck", or "mixed" when that does not fit; "-" for none.
std::string listed(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> distinct;
  for (const std::string& name : names)
    if (std::find(distinct.begin(), distinct.end(), name) == distinct.end()) distinct.push_back(name);
  std::string text;
  for (const std::string& name : distinct) text += (text.empty() ? "" : ", ") + name;
  if (text.empty()) return "-";
  return text_width(text) <= width ? text : "mixed";
}

KindTotal total_of(const Result& result, const Kind& kind) {
  KindTotal total;
  std::vector<std::string> algorithms, ranks;
  for (const LayerResult& layer : result.layers) {
    const CollectiveResult& collective = layer.*kind.collective;
    total.seconds += collective.seconds.mean;
    total.alpha_beta_s += collective.alpha_beta_s;
    total.paper_s += collective.paper_s;
    if (collective.algorithm == "none") continue;
    algorithms.push_back(collective.algorithm);
    ranks.push_back(std::to_string(collective.group_size));
  }
  total.algorithm = listed(algorithms, 26);
  total.ranks = listed(ranks, 9);
  return total;
}

double messages(const Result& result) {
  double sum = 0;
  for (const LayerResult& layer : result.layers)
    for (const Kind& kind : kKinds) sum += (layer.*kind.collective).messages;
  return sum;
}

// What the difference means, in one sentence. Both sides hold the same messages, additions and waiting for slower ranks
// (train/cost.hpp); what alpha-beta lacks is the platform: shared links, and routes that differ from each other.
std::string meaning(const Result& result) {
  const double difference = result.communication_s() - result.alpha_beta_s();
  const double relative = difference / result.alpha_beta_s();
  constexpr double kSame = 0.02;
  if (result.job.overlaps() && std::abs(relative) > kSame)
    return "The collectives are under way for " + format_seconds(std::abs(difference)) + " (" +
           format_percent(std::abs(relative)) + ") " + (difference > 0 ? "longer" : "less") +
           " than alpha-beta says, which has one after the other and nothing computed beside them.";
  if (result.platform && result.platform->network_model == "calibrated" && std::abs(relative) > kSame)
    return "The simulated communication takes " + format_seconds(std::abs(difference)) + " (" +
           format_percent(std::abs(relative)) + ") " + (difference > 0 ? "longer" : "less") +
           " than alpha-beta: messages take what was measured for their size, and share links with each other.";
  if (relative > kSame && result.slow_parts)
    return "The simulated communication takes " + format_seconds(difference) + " (" + format_percent(relative) +
           ") longer than alpha-beta of the healthy cluster: ranks wait for slower ones, and messages share links.";
  if (relative > kSame)
    return "The simulated communication takes " + format_seconds(difference) + " (" + format_percent(relative) +
           ") longer than alpha-beta: messages share links with each other, or take routes slower than alpha and beta.";
  if (relative < -kSame)
    return "The simulated communication takes " + format_seconds(-difference) + " (" + format_percent(-relative) +
           ") less than alpha-beta: much of the traffic takes routes faster than alpha and beta.";
  return "The simulated communication agrees with alpha-beta within 2 %: messages hardly share links, and their routes "
         "are alike.";
}

bool uses_library(const Result& result) {
  return std::any_of(result.layers.begin(), result.layers.end(), [](const LayerResult& layer) {
    return std::any_of(kKinds.begin(), kKinds.end(),
                       [&](const Kind& kind) { return (layer.*kind.collective).algorithm == "mpi"; });
  });
}

// What paper_s is.
std::string formula_of(const Result& result) { return result.has_strips() ? "formula (9)" : "formula (8)"; }

void add_sources(Page& page, const Result& result) {
  if (result.alpha_beta_s() > 0) page.sentence(meaning(result));
  if (result.platform && (result.alpha_beta_s() > 0 || result.paper_s() > 0)) {
    const PlatformResult& platform = *result.platform;
    page.sentence("alpha = " + format_seconds(platform.latency_s) +
                  ", 1/beta = " + format_bandwidth(platform.bandwidth_Bps) +
                  (platform.latency_source.empty() ? "" : " (" + platform.latency_source + ")") + ".");
  }
  if (result.alpha_beta_s() > 0)
    page.sentence("alpha-beta: the same messages and additions, each message with its route to itself" +
                  std::string(uses_library(result) ? "; for mpi, the messages that auto would send." : "."));
  if (result.paper_s() > 0)
    page.sentence(
        formula_of(result) +
        ": Gholami et al., SPAA 2018, as printed: log P steps whatever the algorithm; charges dX by the layer's "
        "output, "
        "also for the first layer" +
        (result.has_strips() ? "; halos of k/2 rows whatever the stride, none of it hidden by computing." : "."));
  if (result.paper_s() > 0 && result.has_columns())
    page.sentence(
        "Layers split by columns, which the paper has not, are charged an all-reduce of Y in place of the all-gather "
        "of "
        "Y and the all-reduce of dX, and what they alone read no all-gather.");
}

}  // namespace

void add_communication(Page& page, const Result& result) {
  if (result.communication_s() <= 0 && result.alpha_beta_s() <= 0 && result.paper_s() <= 0) return;
  const bool alpha_beta = result.alpha_beta_s() > 0, paper = result.paper_s() > 0;
  const TimeScale time(std::max({result.communication_s(), result.alpha_beta_s(), result.paper_s()}));
  const std::string ran = result.kind == "native" ? "measured" : "simulated";
  page.heading("Communication" + std::string(alpha_beta || paper ? " beside the formulas" : "") + " (" + time.unit() +
               " per iteration, mean over ranks" +
               (alpha_beta || paper ? "; ratio: " + ran + " / formula)" : std::string(")")));

  std::vector<Table::Column> columns{{.heading = "collective", .align = Table::Align::left},
                                     {.heading = "algorithm", .align = Table::Align::left},
                                     {.heading = "ranks"},
                                     {.heading = ran}};
  if (alpha_beta) columns.insert(columns.end(), {{.heading = "alpha-beta"}, {.heading = "ratio"}});
  if (paper) columns.insert(columns.end(), {{.heading = formula_of(result)}, {.heading = "ratio"}});
  Table table(std::move(columns));
  const auto add_row = [&](const std::string& name, const KindTotal& total) {
    std::vector<std::string> cells{name, total.algorithm, total.ranks, time(total.seconds)};
    if (alpha_beta)
      cells.insert(cells.end(), {time(total.alpha_beta_s), format_ratio(total.seconds, total.alpha_beta_s)});
    if (paper) cells.insert(cells.end(), {time(total.paper_s), format_ratio(total.seconds, total.paper_s)});
    table.row(std::move(cells));
  };
  for (const Kind& kind : kKinds)
    if (const KindTotal total = total_of(result, kind); !is_rare(kind) || total.any()) add_row(kind.name, total);
  table.rule();
  add_row("total", {.algorithm = "",
                    .ranks = "",
                    .seconds = result.communication_s(),
                    .alpha_beta_s = result.alpha_beta_s(),
                    .paper_s = result.paper_s()});
  page.table(table);
  page.sentence(counted(static_cast<std::int64_t>(messages(result)), "message") + ", " +
                format_bytes(result.bytes_sent()) + " sent per rank.");
  add_sources(page, result);
}

}  // namespace simtrain
