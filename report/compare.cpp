#include "report/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "report/same_job.hpp"

namespace simtrain {

namespace {

double seconds_of(const LayerResult& layer, Phase phase) {
  switch (phase) {
    case Phase::forward:
      return layer.forward_s.mean;
    case Phase::backward:
      return layer.backward_s.mean;
    case Phase::update:
      return layer.update_s.mean;
    case Phase::all_gather:
      return layer.all_gather.seconds.mean;
    case Phase::reduce_data:
      return layer.reduce_data.seconds.mean;
    case Phase::reduce_weights:
      return layer.reduce_weights.seconds.mean;
  }
  return 0;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.empty()) return 0;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double least_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

double most_of(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

// May be negative only where computing and communication overlap; rounding alone is nothing.
double neither_of(const Result& result) {
  const double rest = result.iteration_s - result.compute_s() - result.communication_s();
  constexpr double kRounding = 1e-9;
  return std::fabs(rest) <= kRounding * result.iteration_s ? 0 : rest;
}

double imbalance_of(const Result& result) {
  double sum = 0;
  for (const LayerResult& layer : result.layers)
    for (const Spread& spread : {layer.forward_s, layer.backward_s, layer.update_s}) sum += spread.max - spread.mean;
  return sum;
}

void add_differences(Comparison& comparison) {
  const std::vector<LayerResult>& ours = comparison.reference.result.layers;
  const std::vector<LayerResult>& theirs = comparison.other.result.layers;
  comparison.phases.resize(kPhases);
  const auto add = [&](const std::string& layer, std::optional<Phase> phase, const Contrast& seconds) {
    if (seconds.reference_s == 0 && seconds.other_s == 0) return;
    comparison.differences.push_back({layer, phase, seconds});
    comparison.absolute_difference_s += std::fabs(seconds.difference_s());
  };
  for (std::size_t i = 0; i < ours.size(); ++i)
    for (int number = 0; number < kPhases; ++number) {
      const auto phase = static_cast<Phase>(number);
      const Contrast seconds{seconds_of(ours[i], phase), seconds_of(theirs[i], phase)};
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

void refuse_other_job(const NamedResult& a, const NamedResult& b) {
  const std::vector<Mention> differences = job_differences(a.result, b.result);
  if (differences.empty()) return;
  constexpr std::size_t kMost = 6;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, differences.size()); ++i)
    text += (i == 0 ? "" : "; ") + differences[i].what + " '" + differences[i].reference + "' and '" +
            differences[i].other + "'";
  if (differences.size() > kMost) text += "; and " + std::to_string(differences.size() - kMost) + " more";
  throw InputError("results '" + a.path + "' and '" + b.path + "' are of different jobs: " + text +
                   "; expected the same in both");
}

}  // namespace

std::string name_of(Phase phase) {
  constexpr std::array<const char*, kPhases> names{"forward",      "backward",      "update",
                                                   "all-gather Y", "all-reduce dX", "all-reduce dW"};
  return names[static_cast<std::size_t>(phase)];
}

bool Comparison::cancels() const {
  constexpr double kLittle = 0.1;
  return absolute_difference_s > 0 && std::fabs(iteration.difference_s()) < kLittle * absolute_difference_s;
}

std::optional<double> Comparison::share(const Contrast& part) const {
  if (iteration.difference_s() == 0 || cancels()) return std::nullopt;
  return part.difference_s() / iteration.difference_s();
}

Comparison compare(const NamedResult& a, const NamedResult& b) {
  refuse_other_job(a, b);
  const bool swapped = b.result.kind == "native" && a.result.kind != "native";
  const bool alike = a.result.kind == b.result.kind;
  const NamedResult& first = swapped ? b : a;
  const NamedResult& second = swapped ? a : b;
  Comparison comparison;
  comparison.reference = {alike ? "A" : first.result.kind, first.path, first.result};
  comparison.other = {alike ? "B" : second.result.kind, second.path, second.result};
  const Result& ours = comparison.reference.result;
  const Result& theirs = comparison.other.result;
  comparison.mentions = circumstances(ours, theirs);

  comparison.iteration = {ours.iteration_s, theirs.iteration_s};
  comparison.median = {median_of(ours.iteration_seconds), median_of(theirs.iteration_seconds)};
  comparison.least = {least_of(ours.iteration_seconds), least_of(theirs.iteration_seconds)};
  comparison.most = {most_of(ours.iteration_seconds), most_of(theirs.iteration_seconds)};
  comparison.computing = {ours.compute_s(), theirs.compute_s()};
  comparison.communication = {ours.communication_s(), theirs.communication_s()};
  comparison.neither = {neither_of(ours), neither_of(theirs)};
  comparison.adding = {ours.reduction_s(), theirs.reduction_s()};
  comparison.imbalance = {imbalance_of(ours), imbalance_of(theirs)};
  comparison.extrapolated = {ours.extrapolated_s(), theirs.extrapolated_s()};
  add_differences(comparison);
  return comparison;
}

}  // namespace simtrain
