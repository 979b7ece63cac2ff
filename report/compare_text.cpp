#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/units.hpp"
#include "report/compare.hpp"
#include "report/compare_cells.hpp"
#include "report/page.hpp"

namespace simtrain {

namespace {

std::string circumstances_of(const Result& result) {
  std::string text = result.kind;
  if (result.platform) text += " on " + result.platform->name;
  if (result.profile) text += ", compute times of " + result.profile->name + " (" + result.profile->machine + ")";
  if (result.native) text += " on " + result.native->machine + ", " + result.native->cpu + ", " + result.native->mpi;
  return text + ", " + counted(static_cast<std::int64_t>(result.iteration_seconds.size()), "timed iteration");
}

std::string listed(const std::vector<Mention>& mentions) {
  std::string text;
  for (const Mention& mention : mentions)
    text += (text.empty() ? "" : "; ") + mention.what + " " + mention.reference + " / " + mention.other;
  return text;
}

void add_head(Page& page, const Comparison& comparison) {
  const JobResult &job = comparison.reference.result.job, &other = comparison.other.result.job;
  std::string common = job.network;
  if (job.batch == other.batch) common += ", batch " + format_count(static_cast<double>(job.batch));
  if (job.grid_rows == other.grid_rows && job.grid_columns == other.grid_columns)
    common += ", grid Pr x Pc = " + std::to_string(job.grid_rows) + " x " + std::to_string(job.grid_columns);
  if (job.collectives == other.collectives) common += ", collectives " + job.collectives;
  page.heading("Comparison: " + common);
  for (const ComparedResult* one : {&comparison.reference, &comparison.other})
    page.fact(one->label, one->path + ": " + circumstances_of(one->result));
  page.fact("reference", comparison.reference.label);
  if (!comparison.job_differences.empty()) page.fact("jobs", listed(comparison.job_differences));
  if (!comparison.mentions.empty()) page.fact("not alike", listed(comparison.mentions));
}

// What disturbed iterations do to everything else that is shown.
void add_noise(Page& page, const ComparedResult& one, double median_s, double least_s, double most_s, bool medians) {
  constexpr double kQuiet = 0.1, kCentred = 0.05;
  if (median_s <= 0) return;
  if (most_s - least_s > kQuiet * median_s)
    page.sentence("Iterations of " + one.label + " vary from " + format_seconds(least_s) + " to " +
                  format_seconds(most_s) + ".");
  if (medians) return;
  const double skew = one.result.iteration_s / median_s - 1;
  if (skew > kCentred)
    page.sentence("The mean of " + one.label + ", to which layers and phases add up, is " + format_percent(skew) +
                  " above the median: disturbed iterations are in all figures below.");
}

void add_iteration(Page& page, const Comparison& comparison, const TimeScale& time) {
  page.heading("Iteration (" + time.unit() + ", slowest rank)");
  Table table({{.heading = "", .align = Table::Align::left},
               {.heading = comparison.reference.label},
               {.heading = comparison.other.label},
               {.heading = "difference"},
               {.heading = relative_heading(comparison)}});
  const auto add = [&](const std::string& name, const Contrast& seconds) {
    std::vector<std::string> cells = contrast_cells(seconds, time);
    cells.insert(cells.begin(), name);
    table.row(std::move(cells));
  };
  add("mean", comparison.mean);
  if (comparison.reference.result.iteration_seconds.size() > 1 ||
      comparison.other.result.iteration_seconds.size() > 1) {
    add("median", comparison.median);
    add("least", comparison.least);
    add("most", comparison.most);
  }
  page.table(table);
  page.sentence(verdict(comparison));
  if (comparison.reference.result.job.batch != comparison.other.result.job.batch)
    page.sentence("The batches differ: " + comparison.reference.label + " trains " +
                  format_count(comparison.reference.result.images_per_s()) + " images/s, " + comparison.other.label +
                  " " + format_count(comparison.other.result.images_per_s()) + ".");
  add_noise(page, comparison.reference, comparison.median.reference_s, comparison.least.reference_s,
            comparison.most.reference_s, comparison.medians);
  add_noise(page, comparison.other, comparison.median.other_s, comparison.least.other_s, comparison.most.other_s,
            comparison.medians);
}

// "fc8, conv1": the layers that are outside the measured range by more than a tenth of their computing, and how much of
// the difference in computing is theirs.
void add_extrapolation(Page& page, const Comparison& comparison, const ComparedResult& one) {
  const double extrapolated_s = one.result.extrapolated_s(), computing_s = one.result.compute_s();
  if (extrapolated_s <= 0 || computing_s <= 0) return;
  std::string names;
  double difference_s = 0;
  for (const LayerResult& layer : one.result.layers) {
    constexpr double kMuch = 0.1;
    if (layer.extrapolated_s <= kMuch * (layer.forward_s.mean + layer.backward_s.mean + layer.update_s.mean)) continue;
    names += (names.empty() ? "" : ", ") + layer.name;
    for (const PhaseContrast& part : comparison.differences)
      if (part.layer == layer.name && part.phase && computes(*part.phase)) difference_s += part.seconds.difference_s();
  }
  std::string text = format_percent(extrapolated_s / computing_s) + " of the computing of " + one.label + " (" +
                     format_seconds(extrapolated_s) + ") is extrapolated beyond the profile's measured range";
  if (!names.empty())
    text += ", most of it in " + names + ", whose computing differs by " + (difference_s > 0 ? "+" : "") +
            format_seconds(difference_s) + " in all";
  page.sentence(text + ".");
}

void add_remarks(Page& page, const Comparison& comparison) {
  const auto worth = [&](const Contrast& part) {
    constexpr double kLittle = 0.005;
    return std::max(std::fabs(part.reference_s), std::fabs(part.other_s)) >
           kLittle * std::max(comparison.iteration.reference_s, comparison.iteration.other_s);
  };
  if (worth(comparison.neither))
    page.sentence(
        "neither: the iteration is the slowest rank's, computing and communication are means over ranks; the rest is "
        "idling until the slowest is done and what no layer is charged with" +
        std::string(comparison.medians ? ", and by what the median of a sum differs from the sum of medians." : "."));
  if (worth(comparison.imbalance) && comparison.communication.reference_s + comparison.communication.other_s > 0)
    page.sentence("Imbalance: the slowest rank computes " + format_seconds(comparison.imbalance.reference_s) +
                  " above the mean in " + comparison.reference.label + ", " +
                  format_seconds(comparison.imbalance.other_s) + " in " + comparison.other.label +
                  " (added up by layer). Others wait for it inside collectives, so that up to as much of the "
                  "communication is waiting.");
  add_extrapolation(page, comparison, comparison.reference);
  add_extrapolation(page, comparison, comparison.other);
  for (const Mention& mention : comparison.mentions)
    if (mention.what == "CPU" || mention.what == "BLAS" || mention.what == "compute scale")
      page.warning("computing is of a different " + mention.what + ": " + mention.reference + " in " +
                   comparison.reference.label + ", " + mention.other + " in " + comparison.other.label + ".");
}

// "ms per iteration, mean over ranks, median over iterations"
std::string unit_of(const Comparison& comparison, const TimeScale& time) {
  return time.unit() + " per iteration, mean over ranks" + (comparison.medians ? ", median over iterations" : "");
}

void add_sources(Page& page, const Comparison& comparison, const TimeScale& time) {
  page.heading("Where it comes from (" + unit_of(comparison, time) + ")");
  Table table({{.heading = "", .align = Table::Align::left},
               {.heading = comparison.reference.label},
               {.heading = comparison.other.label},
               {.heading = "difference"},
               {.heading = relative_heading(comparison)},
               {.heading = "share of\ndifference"}});
  const auto add = [&](const std::string& name, const Contrast& seconds) {
    if (seconds.reference_s == 0 && seconds.other_s == 0) return;
    std::vector<std::string> cells = contrast_cells(seconds, time);
    cells.insert(cells.begin(), name);
    cells.push_back(share_cell(comparison, seconds));
    table.row(std::move(cells));
  };
  const auto add_phases = [&](bool computing) {
    for (int number = 0; number < kPhases; ++number)
      if (const auto phase = static_cast<Phase>(number); computes(phase) == computing)
        add("  " + name_of(phase), comparison.phases[static_cast<std::size_t>(number)]);
  };
  add("computing", comparison.computing);
  add_phases(true);
  const bool overlaps = comparison.reference.result.job.overlaps();
  add(overlaps ? "exposed communication" : "communication", comparison.communication);
  add_phases(false);
  const Contrast& adding = comparison.adding;
  if (!overlaps && (adding.reference_s > 0 || adding.other_s > 0)) {
    add("  of it messages, waiting",
        {comparison.communication.reference_s - adding.reference_s, comparison.communication.other_s - adding.other_s});
    add("  of it adding", adding);
  }
  add("neither", comparison.neither);
  table.rule();
  add("iteration", comparison.iteration);
  page.table(table);
  if (overlaps)
    page.sentence("Hidden communication, in addition: " + format_seconds(comparison.hidden.reference_s) + " in " +
                  comparison.reference.label + ", " + format_seconds(comparison.hidden.other_s) + " in " +
                  comparison.other.label + ".");
  add_remarks(page, comparison);
}

// What the schedules ask for, and what contention, slower routes and waiting add.
void add_collectives(Page& page, const Comparison& comparison) {
  if (comparison.collectives.empty()) return;
  const TimeScale time(std::max(comparison.iteration.reference_s, comparison.iteration.other_s));
  page.heading("Collectives by their schedules and beyond (" + time.unit() +
               ", mean over ranks), largest difference first");
  const std::string ours = comparison.reference.label, theirs = comparison.other.label, change = "difference";
  Table table({{.heading = "collective", .align = Table::Align::left},
               {.heading = "alpha-beta", .group = ours},
               {.heading = "beyond", .group = ours},
               {.heading = "alpha-beta", .group = theirs},
               {.heading = "beyond", .group = theirs},
               {.heading = "alpha-beta", .group = change},
               {.heading = "beyond", .group = change}});
  for (const CollectiveContrast& one : comparison.collectives) {
    const Contrast beyond{one.seconds.reference_s - one.alpha_beta.reference_s,
                          one.seconds.other_s - one.alpha_beta.other_s};
    table.row({name_of(one.phase), time(one.alpha_beta.reference_s), signed_time(time, beyond.reference_s),
               time(one.alpha_beta.other_s), signed_time(time, beyond.other_s),
               signed_time(time, one.alpha_beta.difference_s()), signed_time(time, beyond.difference_s())});
  }
  page.table(table);
  page.sentence("alpha-beta: the same messages without contention; beyond: contention, slower routes, waiting.");
}

void add_links(Page& page, const Comparison& comparison) {
  if (comparison.links.empty()) return;
  const TimeScale time(std::max(comparison.iteration.reference_s, comparison.iteration.other_s));
  page.heading("Links by class (in use: " + time.unit() +
               " per iteration of the busiest one), largest difference first");
  const std::string ours = comparison.reference.label, theirs = comparison.other.label;
  Table table({{.heading = "class", .align = Table::Align::left},
               {.heading = "in use", .group = ours},
               {.heading = "all carry", .group = ours},
               {.heading = "in use", .group = theirs},
               {.heading = "all carry", .group = theirs},
               {.heading = "difference\nin use"}});
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(kMost, comparison.links.size()); ++i) {
    const LinkContrast& one = comparison.links[i];
    table.row({printable(one.name), time(one.busiest.reference_s), format_bytes(one.reference_bytes),
               time(one.busiest.other_s), format_bytes(one.other_bytes),
               signed_time(time, one.busiest.difference_s())});
  }
  page.table(table);
  if (comparison.links.size() > kMost)
    page.sentence(counted(static_cast<std::int64_t>(comparison.links.size() - kMost), "class") + " more: --json FILE.");
}

void add_differences(Page& page, const Comparison& comparison, const TimeScale& time) {
  page.heading("Layers and phases (" + unit_of(comparison, time) + "), largest difference first");
  Table table({{.heading = "layer", .align = Table::Align::left},
               {.heading = "phase", .align = Table::Align::left},
               {.heading = comparison.reference.label},
               {.heading = comparison.other.label},
               {.heading = "difference"},
               {.heading = relative_heading(comparison)},
               {.heading = "share of\ndifference"}});
  const auto add = [&](const std::string& layer, const std::string& phase, const Contrast& seconds) {
    std::vector<std::string> cells = contrast_cells(seconds, time);
    cells.insert(cells.begin(), {layer, phase});
    cells.push_back(share_cell(comparison, seconds));
    table.row(std::move(cells));
  };
  constexpr std::size_t kMost = 30;
  const std::size_t count = comparison.differences.size();
  const std::size_t shown = count > kMost + 1 ? kMost : count;
  Contrast rest;
  for (std::size_t i = 0; i < count; ++i) {
    const PhaseContrast& one = comparison.differences[i];
    if (i < shown) {
      add(one.layer, one.phase ? name_of(*one.phase) : "neither", one.seconds);
    } else {
      rest.reference_s += one.seconds.reference_s;
      rest.other_s += one.seconds.other_s;
    }
  }
  if (shown < count) add("others", std::to_string(count - shown) + " phases", rest);
  page.table(table);
  if (shown < count) page.sentence("--json FILE writes all of them.");
  if (comparison.cancels())
    page.sentence("No shares: the differences, " + format_seconds(comparison.absolute_difference_s) +
                  " without their signs, cancel.");
}

}  // namespace

std::string comparison_to_text(const Comparison& comparison) {
  Page page;
  const TimeScale time(std::max(comparison.iteration.reference_s, comparison.iteration.other_s));
  add_head(page, comparison);
  add_iteration(page, comparison, time);
  add_sources(page, comparison, time);
  add_differences(page, comparison, time);
  add_collectives(page, comparison);
  add_links(page, comparison);
  return page.text();
}

}  // namespace simtrain
