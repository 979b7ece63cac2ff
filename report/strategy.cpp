// How --strategy auto chose: what was tried, and for each layer why it is split as it is.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/units.hpp"
#include "report/sections.hpp"

namespace simtrain {

namespace {

std::string print(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

const StrategyTrial& chosen_of(const StrategySearchResult& search) {
  return search.trials[static_cast<std::size_t>(search.chosen)];
}

void add_trials(Page& page, const StrategySearchResult& search) {
  double most = 0;
  for (const StrategyTrial& one : search.trials) most = std::max({most, one.formula_s, one.iteration_s.value_or(0)});
  const TimeScale time(most);
  const std::string group = time.unit() + " per iteration";
  Table table({{.heading = ""},
               {.heading = "tried", .align = Table::Align::left},
               {.heading = "formulas", .group = group},
               {.heading = "simulated", .group = group},
               {.heading = "vs chosen"},
               {.heading = "", .align = Table::Align::left}});
  for (std::size_t i = 0; i < search.trials.size(); ++i) {
    const StrategyTrial& one = search.trials[i];
    table.row({std::to_string(i + 1), one.what, time(one.formula_s), one.iteration_s ? time(*one.iteration_s) : "-",
               one.iteration_s ? format_ratio(*one.iteration_s, *chosen_of(search).iteration_s) : "-",
               std::cmp_equal(i, search.chosen) ? "chosen" : ""});
  }
  page.table(table);
  for (std::size_t i = 0; i < search.trials.size(); ++i) {
    const StrategyTrial& one = search.trials[i];
    page.fact(std::to_string(i + 1), one.rules + (one.error.empty() ? "" : " -- left out: " + one.error));
  }
}

// The formulas and the simulation rank differently.
void add_difference(Page& page, const StrategySearchResult& search) {
  if (search.chosen == 0) return;
  const StrategyTrial &least = search.trials.front(), &chosen = chosen_of(search);
  if (!least.iteration_s)
    page.sentence("The least by the formulas was left out.");
  else
    page.sentence("By the formulas 1 takes " + format_seconds(chosen.formula_s - least.formula_s) + " less than " +
                  std::to_string(search.chosen + 1) + ", simulated " +
                  format_seconds(*least.iteration_s - *chosen.iteration_s) +
                  " more: the formulas know neither shared links nor the way between two ranks.");
}

// "+12.0 all-gather Y, -0.5 all-reduce dW": what differs most, in the table's unit.
std::string parts_text(const FormulaSeconds& more, const TimeScale& time) {
  struct Part {
    std::string name;
    double seconds;
  };
  std::vector<Part> parts{{"computing", more.compute}};
  for (int i = 0; i < kPhases; ++i)
    if (const auto phase = static_cast<Phase>(i); !computes(phase))
      parts.push_back({name_of(phase), more.exchanges[static_cast<std::size_t>(i)]});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return std::abs(a.seconds) > std::abs(b.seconds); });
  constexpr std::size_t kShown = 2;
  constexpr double kWorthSaying = 0.05;  // of the largest
  std::string text;
  for (std::size_t i = 0; i < kShown; ++i) {
    if (std::abs(parts[i].seconds) <= kWorthSaying * std::abs(parts[0].seconds)) break;
    text += (i == 0 ? "" : ", ") + std::string(parts[i].seconds < 0 ? "-" : "+") + time(std::abs(parts[i].seconds)) +
            " " + parts[i].name;
  }
  return text;
}

void add_layers_split(Page& page, const StrategySearchResult& search) {
  double most = 0;
  for (const SplitLayer& one : search.layers) {
    most = std::max(most, one.seconds.total());
    if (one.other) most = std::max(most, std::abs(one.other->more.total()));
  }
  const TimeScale time(most);
  const std::string other = "best otherwise";
  Table table({{.heading = "layer", .align = Table::Align::left},
               {.heading = "split", .align = Table::Align::left},
               {.heading = time.unit()},
               {.heading = "split", .align = Table::Align::left, .group = other},
               {.heading = "adds", .group = other},
               {.heading = "most of it", .align = Table::Align::left, .group = other}});
  bool changed = false;
  for (const SplitLayer& one : search.layers) {
    std::vector<std::string> cells{one.name, one.split, time(one.seconds.total()), "-", "-", ""};
    if (one.other) {
      const double more = one.other->more.total();
      cells[3] = one.other->split + (one.other->changed.empty() ? "" : " *");
      cells[4] = (more < 0 ? "-" : "") + time(std::abs(more));
      cells[5] = parts_text(one.other->more, time);
      changed = changed || !one.other->changed.empty();
    }
    table.row(std::move(cells));
  }
  page.sentence("Why, by the formulas, in " + time.unit() +
                ": a layer's own time as chosen; the best with this layer split in any other way, what that adds to " +
                "the iteration, and of what." + (changed ? " *: other layers then follow it." : ""));
  page.table(table);
}

}  // namespace

void add_strategy_search(Page& page, const Result& result) {
  if (!result.strategy_search) return;
  const StrategySearchResult& search = *result.strategy_search;
  const auto simulated = std::count_if(search.trials.begin(), search.trials.end(),
                                       [](const StrategyTrial& one) { return one.iteration_s.has_value(); });
  page.heading("Strategy: how it was chosen");
  page.sentence(
      "Of " + print("%.3g", search.assignments) + " ways to split " +
      counted(static_cast<std::int64_t>(search.layers.size()), "layer") + " over " + counted(search.processes, "rank") +
      ", the least by the formulas is known exactly; of " + "those near it, and of the plain strategies, " +
      std::to_string(simulated) + (simulated == 1 ? " was" : " were") +
      " simulated. Formulas: computing by the profile, messages with alpha = " + format_seconds(search.latency_s) +
      ", 1/beta = " + format_bandwidth(search.bandwidth_Bps) + ", nothing hidden.");
  add_trials(page, search);
  add_difference(page, search);
  add_layers_split(page, search);
}

}  // namespace simtrain
