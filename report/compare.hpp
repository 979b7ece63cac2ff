// Two results beside each other, as a value: what mpitrain measured and what simtrain predicted of the same job, or two
// predictions of one network, split, placed or connected differently.
//
// One of the two is the reference: the native one if exactly one is native, else the first. Differences are
// other - reference, relative errors are differences / reference: +0.10 says that the other one takes 10 % longer.
//
// Layers' times are means over ranks, the iteration is the slowest rank's. What is left between them is `neither`:
//   iteration = computing + communication + neither
// With overlap, communication is what was exposed; the rest is `hidden`, which takes no time of its own. `neither` is
// idling at the end of an iteration and what no layer is charged with; waiting inside a collective counts as
// communication. As the sum holds for both results, it holds for their differences, so that nothing stays unexplained.
//
// All of these are medians over iterations where both results have them, which a disturbed iteration does not move,
// else means. Medians do not add up: what they lack or have too much of is in `neither` as well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.hpp"

namespace simtrain {

// The same quantity of both, in seconds of one iteration.
struct Contrast {
  double reference_s = 0, other_s = 0;
  [[nodiscard]] double difference_s() const { return other_s - reference_s; }
  // None where the reference takes no time.
  [[nodiscard]] std::optional<double> relative_error() const {
    if (reference_s == 0) return std::nullopt;
    return difference_s() / reference_s;
  }
};

struct PhaseContrast {
  std::string layer;
  std::optional<Phase> phase;  // none: `neither`, which has no layer
  Contrast seconds;
};

// What may differ between two results of one job: "seed", "1", "2".
struct Mention {
  std::string what, reference, other;
};

// A kind of collective, all layers together; means over iterations.
struct CollectiveContrast {
  Phase phase = Phase::all_gather;
  Contrast seconds;     // under way, hidden or not
  Contrast alpha_beta;  // of the same messages without contention; the rest is contention, slower routes, waiting
};

// A class of links.
struct LinkContrast {
  std::string name;
  Contrast busiest;                             // how long its busiest link was in use: bytes / bandwidth
  double reference_bytes = 0, other_bytes = 0;  // that all of them carried
};

struct ComparedResult {
  // "native", "simulated"; of one kind, in the order given: what tells them apart, "32x8" and "16x16", names of files,
  // else "A", "B"
  std::string label;
  std::string path;
  Result result;
};

struct Comparison {
  ComparedResult reference, other;
  std::vector<Mention> job_differences;  // empty: the same work
  std::vector<Mention> mentions;         // what else is not alike

  bool medians = false;                        // compared by medians over iterations rather than means
  Contrast iteration;                          // slowest rank: `median` or `mean`
  Contrast mean, median, least, most;          // over the timed iterations
  std::vector<Contrast> phases;                // summed over layers, by Phase
  Contrast computing, communication, neither;  // their sum is `iteration`
  Contrast adding;                             // the part of communication spent adding what arrived
  Contrast hidden;                             // communication behind computing: in none of the others; means
  Contrast imbalance;     // of computing: slowest rank above the mean, added up by layer; at most what others wait for
  Contrast extrapolated;  // the part of computing outside the profile's measured range; 0 for a native result

  // Whatever takes time in one of them at least, by |difference|, largest first; ends in the order of the network.
  std::vector<PhaseContrast> differences;
  double absolute_difference_s = 0;  // their |differences| added up

  // Of two simulated results, by |difference|, largest first: kinds of collectives, classes of links.
  std::vector<CollectiveContrast> collectives;
  std::vector<LinkContrast> links;

  std::optional<Passport> passport = {};

  // Whether the differences add up to so little that they are better understood one by one: to less than a tenth of
  // absolute_difference_s.
  [[nodiscard]] bool cancels() const;
  // The share of the iteration's difference that this one explains, negative if it has the other sign; none when there
  // is no difference or the differences cancel.
  [[nodiscard]] std::optional<double> share(const Contrast& part) const;
};

struct NamedResult {
  std::string path;  // as given
  Result result;
};

// A measured and a predicted result must be of the same job: InputError naming both files and all that differs, with
// both values: network, layers, batch, grid, strategy, collectives (also what "auto" chose), gather, momentum or none,
// dropout or none. Seed, data, placement, numerics, rates, iterations and machines may differ; these are mentioned. Of
// two results of one kind only the layers must be the same, by name and kind.
Comparison compare(const NamedResult& a, const NamedResult& b);

// "simulated takes 12.0 % less time than native (88.0 ms against 100 ms per iteration): conv2 backward -8.10 ms and
// all-reduce dW of fc6 -2.00 ms explain 84 % of it."
std::string verdict(const Comparison& comparison);

std::string comparison_to_text(const Comparison& comparison);  // at most kReportWidth columns
std::string comparison_to_json(const Comparison& comparison);  // schema: docs/compare.schema.json

}  // namespace simtrain
