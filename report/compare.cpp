#include "report/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "base/error.hpp"
#include "report/collective_of.hpp"
#include "report/compare_parts.hpp"
#include "report/same_job.hpp"
#include "report/table.hpp"

namespace simtrain {

namespace {

double mean_of(const LayerResult& layer, Phase phase) {
  if (const CollectiveResult* collective = collective_of(layer, phase)) return collective->waited_s();
  const Spread& seconds = phase == Phase::forward    ? layer.forward_s
                          : phase == Phase::backward ? layer.backward_s
                                                     : layer.update_s;
  return seconds.mean;
}

// 1 without overlap.
double exposed_share(const LayerResult& layer, Phase phase) {
  const CollectiveResult* collective = collective_of(layer, phase);
  if (collective == nullptr || !collective->exposed_s || collective->seconds.mean <= 0) return 1;
  return *collective->exposed_s / collective->seconds.mean;
}

bool has_median(const LayerResult& layer, Phase phase) {
  const auto i = static_cast<std::size_t>(phase);
  return i < layer.phases.size() && layer.phases[i];
}

// Of every phase that takes time.
bool has_medians(const Result& result) {
  for (const LayerResult& layer : result.layers)
    for (int number = 0; number < kPhases; ++number)
      if (const auto phase = static_cast<Phase>(number); mean_of(layer, phase) > 0 && !has_median(layer, phase))
        return false;
  return true;
}

// A result's times by medians or means. Of communication, what was exposed: that is known of the means, and of medians
// the same share is taken.
class Times {
 public:
  Times(const Result& result, bool medians) : result_(result), medians_(medians) {}

  [[nodiscard]] double iteration() const { return medians_ ? result_.iterations().median : result_.iteration_s; }
  [[nodiscard]] double seconds(const LayerResult& layer, Phase phase) const {
    const bool median = medians_ && has_median(layer, phase);
    if (!median) return mean_of(layer, phase);
    return exposed_share(layer, phase) * layer.phases[static_cast<std::size_t>(phase)]->median_s;
  }
  [[nodiscard]] double sum(bool computing) const {
    double sum = 0;
    for (const LayerResult& layer : result_.layers)
      for (int number = 0; number < kPhases; ++number)
        if (const auto phase = static_cast<Phase>(number); computes(phase) == computing) sum += seconds(layer, phase);
    return sum;
  }
  // Its share of a collective is known of the means.
  [[nodiscard]] double adding() const {
    double sum = 0;
    for (const LayerResult& layer : result_.layers)
      for_each_collective(layer, [&](Phase phase, const CollectiveResult& collective) {
        sum += medians_ && collective.seconds.mean > 0
                   ? collective.reduction_s / collective.seconds.mean * seconds(layer, phase)
                   : collective.reduction_s;
      });
    return sum;
  }
  // May be negative only where the clocks of ranks differ and for medians; rounding alone is nothing.
  [[nodiscard]] double neither() const {
    const double rest = iteration() - sum(true) - sum(false);
    constexpr double kRounding = 1e-9;
    return std::fabs(rest) <= kRounding * iteration() ? 0 : rest;
  }

 private:
  const Result& result_;
  bool medians_;
};

double imbalance_of(const Result& result) {
  double sum = 0;
  for (const LayerResult& layer : result.layers)
    for (const Spread& spread : {layer.forward_s, layer.backward_s, layer.update_s}) sum += spread.max - spread.mean;
  return sum;
}

void add_differences(Comparison& comparison) {
  const std::vector<LayerResult>& ours = comparison.reference.result.layers;
  const std::vector<LayerResult>& theirs = comparison.other.result.layers;
  const Times our_times(comparison.reference.result, comparison.medians);
  const Times their_times(comparison.other.result, comparison.medians);
  comparison.phases.resize(kPhases);
  const auto add = [&](const std::string& layer, std::optional<Phase> phase, const Contrast& seconds) {
    if (seconds.reference_s == 0 && seconds.other_s == 0) return;
    comparison.differences.push_back({layer, phase, seconds});
    comparison.absolute_difference_s += std::fabs(seconds.difference_s());
  };
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (int number = 0; number < kPhases; ++number) {
      const auto phase = static_cast<Phase>(number);
      const Contrast seconds{our_times.seconds(ours[i], phase), their_times.seconds(theirs[i], phase)};
      comparison.phases[static_cast<std::size_t>(number)].reference_s += seconds.reference_s;
      comparison.phases[static_cast<std::size_t>(number)].other_s += seconds.other_s;
      add(ours[i].name, phase, seconds);
    }
  add("", std::nullopt, comparison.neither);
  std::stable_sort(comparison.differences.begin(), comparison.differences.end(),
                   [](const PhaseContrast& x, const PhaseContrast& y) {
                     return std::fabs(x.seconds.difference_s()) > std::fabs(y.seconds.difference_s());
                   });
}

void refuse(const NamedResult& a, const NamedResult& b, const std::vector<Mention>& differences) {
  if (differences.empty()) return;
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, differences.size()); ++i)
    text += (i == 0 ? "" : "; ") + differences[i].what + " '" + differences[i].reference + "' and '" +
            differences[i].other + "'";
  if (differences.size() > kMost) text += "; and " + std::to_string(differences.size() - kMost) + " more";
  throw InputError("results '" + a.path + "' and '" + b.path + "' are of different " +
                   (a.result.kind == b.result.kind ? "networks: " : "jobs: ") + text + "; expected the same in both");
}

// What tells two results of one kind apart at a glance, if it is short enough for the head of a column; else the names
// of their files, which whoever asked knows.
std::pair<std::string, std::string> labels_of(const Comparison& comparison) {
  const std::vector<Mention>&work = comparison.job_differences, &others = comparison.mentions;
  constexpr std::size_t kMost = 14;
  for (const char* what : {"grid", "strategy", "collectives", "batch", "overlap", "platform", "placement"})
    for (const std::vector<Mention>* mentions : {&work, &others})
      for (const Mention& mention : *mentions)
        if (mention.what == what && text_width(mention.reference) <= kMost && text_width(mention.other) <= kMost) {
          const std::string unit = mention.what == "batch" || mention.what == "overlap" ? mention.what + " " : "";
          return {unit + printable(mention.reference), unit + printable(mention.other)};
        }
  const auto stem = [](const ComparedResult& one) {
    return printable(std::filesystem::path(one.path).stem().string());
  };
  const std::string ours = stem(comparison.reference), theirs = stem(comparison.other);
  constexpr std::size_t kMostOfName = 12;
  const bool short_enough = std::max(text_width(ours), text_width(theirs)) <= kMostOfName;
  return short_enough && ours != theirs ? std::pair{ours, theirs} : std::pair<std::string, std::string>{"A", "B"};
}

}  // namespace

bool Comparison::cancels() const {
  constexpr double kLittle = 0.1;
  return absolute_difference_s > 0 && std::fabs(iteration.difference_s()) < kLittle * absolute_difference_s;
}

std::optional<double> Comparison::share(const Contrast& part) const {
  if (iteration.difference_s() == 0 || cancels()) return std::nullopt;
  return part.difference_s() / iteration.difference_s();
}

Comparison compare(const NamedResult& a, const NamedResult& b) {
  const bool alike = a.result.kind == b.result.kind;
  refuse(a, b, alike ? layer_differences(a.result, b.result) : job_differences(a.result, b.result));
  const bool swapped = b.result.kind == "native" && a.result.kind != "native";
  const NamedResult& first = swapped ? b : a;
  const NamedResult& second = swapped ? a : b;
  Comparison comparison;
  comparison.reference = {first.result.kind, first.path, first.result};
  comparison.other = {second.result.kind, second.path, second.result};
  const Result& ours = comparison.reference.result;
  const Result& theirs = comparison.other.result;
  comparison.job_differences = job_differences(ours, theirs);
  comparison.mentions = circumstances(ours, theirs);
  if (alike) std::tie(comparison.reference.label, comparison.other.label) = labels_of(comparison);

  // Of one iteration the median is the mean.
  const bool repeated = ours.iteration_seconds.size() > 1 || theirs.iteration_seconds.size() > 1;
  comparison.medians = repeated && has_medians(ours) && has_medians(theirs);
  const Distribution our_iterations = ours.iterations(), their_iterations = theirs.iterations();
  comparison.mean = {ours.iteration_s, theirs.iteration_s};
  comparison.median = {our_iterations.median, their_iterations.median};
  comparison.least = {our_iterations.min, their_iterations.min};
  comparison.most = {our_iterations.max, their_iterations.max};
  const Times our_times(ours, comparison.medians), their_times(theirs, comparison.medians);
  comparison.iteration = {our_times.iteration(), their_times.iteration()};
  comparison.computing = {our_times.sum(true), their_times.sum(true)};
  comparison.communication = {our_times.sum(false), their_times.sum(false)};
  comparison.neither = {our_times.neither(), their_times.neither()};
  comparison.adding = {our_times.adding(), their_times.adding()};
  comparison.imbalance = {imbalance_of(ours), imbalance_of(theirs)};
  comparison.hidden = {ours.hidden_s(), theirs.hidden_s()};
  comparison.extrapolated = {ours.extrapolated_s(), theirs.extrapolated_s()};
  add_differences(comparison);
  add_collectives(comparison);
  add_links(comparison);
  return comparison;
}

}  // namespace simtrain
