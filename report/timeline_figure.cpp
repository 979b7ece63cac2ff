// What ranks do, as bars along the time and as a table.
#include <algorithm>
#include <map>

#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/page.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

// Of one rank, a phase of a layer from its first operation to its last if nothing else was in between.
struct Stretch {
  int row;  // of the chart
  Phase phase;
  std::string layer;
  double begin_s, end_s;
};

struct Stretches {
  std::vector<std::string> rows;
  std::vector<Stretch> all;
};

std::string layers_text(const Result& result, const TimelineSlice& slice) {
  const auto name = [&](int layer) { return result.layers.at(static_cast<std::size_t>(layer)).name; };
  if (slice.bucket < 0) return name(slice.layer);
  const std::vector<int>& bucket = result.timeline->buckets.at(static_cast<std::size_t>(slice.bucket));
  return bucket.size() == 1 ? name(bucket.front()) : name(bucket.front()) + " to " + name(bucket.back());
}

void add_rank(Stretches& stretches, const Result& result, const TimelineRank& rank, bool beside) {
  const int row = static_cast<int>(stretches.rows.size());
  bool any = false;
  for (const TimelineSlice& slice : rank.slices) {
    if (slice.doing < 0 || slice.beside != beside) continue;
    const Stretch next{row, static_cast<Phase>(slice.doing), layers_text(result, slice), slice.begin_s, slice.end_s};
    Stretch* last = any ? &stretches.all.back() : nullptr;
    if (last != nullptr && last->phase == next.phase && last->layer == next.layer && last->end_s == next.begin_s)
      last->end_s = next.end_s;
    else
      stretches.all.push_back(next);
    any = true;
  }
  if (any || !beside) stretches.rows.push_back("rank " + std::to_string(rank.rank) + (beside ? ", beside" : ""));
}

std::string stretches_table(const Stretches& stretches, const TimeScale& time) {
  Table table({{.heading = "rank", .align = Table::Align::left},
               {.heading = "layer", .align = Table::Align::left},
               {.heading = "phase", .align = Table::Align::left},
               {.heading = "begin, " + time.unit()},
               {.heading = "end, " + time.unit()},
               {.heading = "takes, " + time.unit()}});
  for (const Stretch& one : stretches.all)
    table.row({stretches.rows[static_cast<std::size_t>(one.row)], one.layer, name_of(one.phase), time(one.begin_s),
               time(one.end_s), time(one.end_s - one.begin_s)});
  return "<details>\n<summary>The same as a table</summary>\n" + to_html(table, "What some of the ranks do") +
         "</details>\n";
}

}  // namespace

std::string timeline_figure(const Result& result, std::vector<Chart>& charts) {
  if (!result.timeline) return "";
  // Beyond that a chart shows no more, and a page becomes slow.
  constexpr std::size_t kMostStretches = 4000;
  Stretches stretches;
  double end_s = 0;
  for (const TimelineRank& rank : result.timeline->ranks) {
    if (rank.left_out || stretches.all.size() > kMostStretches) continue;
    add_rank(stretches, result, rank, false);
    add_rank(stretches, result, rank, true);
    end_s = std::max(end_s, rank.end_s);
  }
  if (stretches.all.empty()) return "";
  const TimeScale time(end_s);
  Chart chart{.id = "chart-timeline",
              .description = "Timeline of " +
                             counted(static_cast<std::int64_t>(result.timeline->ranks.size()), "rank") +
                             ": which phase each is in at what time. The table after it has the numbers.",
              .caption = "Iteration " + std::to_string(result.timeline->iteration) + " of " +
                         std::to_string(result.job.iterations) + ", " + time.unit() + " since its begin",
              .unit = time.unit(),
              .timeline = true,
              .labels = stretches.rows,
              .series = {}};
  std::map<Phase, ordered_json> bars;
  for (const Stretch& one : stretches.all)
    bars[one.phase].push_back({one.row, time.in_unit(one.begin_s), time.in_unit(one.end_s), one.layer});
  for (auto& [phase, values] : bars)
    chart.series.push_back({name_of(phase), static_cast<int>(phase), std::move(values)});
  charts.push_back(chart);
  return figure_html(chart) + stretches_table(stretches, time);
}

}  // namespace simtrain
