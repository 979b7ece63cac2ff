// What a comparison says, in one sentence.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/units.hpp"
#include "report/compare.hpp"

namespace simtrain {

namespace {

std::string percent(double fraction, int decimals) {
  std::array<char, 400> buffer{};  // the largest double has 309 digits
  std::snprintf(buffer.data(), buffer.size(), "%.*f %%", decimals, 100 * fraction);
  return buffer.data();
}

std::string signed_seconds(double seconds) { return (seconds > 0 ? "+" : "") + format_seconds(seconds); }

struct Cause {
  std::string name;
  double difference_s = 0;
};

std::string cause_name(const std::string& layer, std::optional<Phase> phase) {
  if (!phase) return "what is neither computing nor communication";
  return computes(*phase) ? layer + " " + name_of(*phase) : name_of(*phase) + " of " + layer;
}

std::vector<Cause> single_causes(const Comparison& comparison) {
  std::vector<Cause> causes;
  for (const PhaseContrast& one : comparison.differences)
    causes.push_back({cause_name(one.layer, one.phase), one.seconds.difference_s()});
  return causes;
}

// The phases of all layers together, for networks whose single layers are too small to explain anything.
std::vector<Cause> summed_causes(const Comparison& comparison) {
  std::vector<Cause> causes;
  for (int number = 0; number < kPhases; ++number)
    causes.push_back({name_of(static_cast<Phase>(number)) + " of all layers",
                      comparison.phases[static_cast<std::size_t>(number)].difference_s()});
  causes.push_back({cause_name("", std::nullopt), comparison.neither.difference_s()});
  std::stable_sort(causes.begin(), causes.end(), [](const Cause& a, const Cause& b) {
    return std::fabs(a.difference_s) > std::fabs(b.difference_s);
  });
  return causes;
}

double sum_of(const std::vector<Cause>& causes) {
  double sum = 0;
  for (const Cause& cause : causes) sum += cause.difference_s;
  return sum;
}

// The largest that point the same way as `total_s`: until they explain four fifths, but at most three, each worth a
// twentieth or more unless it is the only one.
std::vector<Cause> main_causes(const std::vector<Cause>& causes, double total_s) {
  std::vector<Cause> chosen;
  for (const Cause& cause : causes) {
    const double share = cause.difference_s / total_s;
    if (share <= 0) continue;
    if (chosen.size() == 3 || sum_of(chosen) / total_s >= 0.8 || (share < 0.05 && !chosen.empty())) break;
    chosen.push_back(cause);
  }
  return chosen;
}

std::string listed(const std::vector<Cause>& causes) {
  std::string text;
  for (std::size_t i = 0; i < causes.size(); ++i)
    text += (i == 0                   ? ""
             : i + 1 == causes.size() ? " and "
                                      : ", ") +
            causes[i].name + " " + signed_seconds(causes[i].difference_s);
  return text;
}

std::string explanation(const Comparison& comparison) {
  const double total_s = comparison.iteration.difference_s();
  std::vector<Cause> causes = main_causes(single_causes(comparison), total_s);
  constexpr double kHalf = 0.5;
  if (sum_of(causes) / total_s < kHalf) causes = main_causes(summed_causes(comparison), total_s);
  if (causes.empty()) return "";
  const double explained_s = sum_of(causes);
  std::string text =
      listed(causes) + (causes.size() == 1 ? " explains " : " explain ") + percent(explained_s / total_s, 0) + " of it";
  constexpr double kTooMuch = 1.05;
  if (explained_s / total_s > kTooMuch) text += ", all else " + signed_seconds(total_s - explained_s);
  return text;
}

std::string cancelling(const Comparison& comparison) {
  double above = 0, below = 0, listed_s = 0;
  std::vector<Cause> largest;
  for (const Cause& cause : single_causes(comparison)) {
    (cause.difference_s > 0 ? above : below) += cause.difference_s;
    constexpr double kLittle = 0.05;
    if (largest.size() == 3 || std::fabs(cause.difference_s) < kLittle * comparison.absolute_difference_s) continue;
    largest.push_back(cause);
    listed_s += std::fabs(cause.difference_s);
  }
  const std::string sums = "but " + signed_seconds(above) + " and " + signed_seconds(below) + " cancel";
  constexpr double kNearlyAll = 0.95;
  if (largest.empty()) return sums;
  return sums + ": " + listed(largest) +
         (listed_s < kNearlyAll * comparison.absolute_difference_s ? ", and smaller ones" : "");
}

}  // namespace

std::string verdict(const Comparison& comparison) {
  const Contrast& iteration = comparison.iteration;
  const std::string both = std::string(comparison.medians ? "(median " : "(") + format_seconds(iteration.other_s) +
                           " against " + format_seconds(iteration.reference_s) + " per iteration)";
  const std::string& reference = comparison.reference.label;
  const std::string& other = comparison.other.label;
  constexpr double kRounding = 1e-9;
  if (comparison.absolute_difference_s <= kRounding * iteration.reference_s)
    return other + " and " + reference + " do not differ " + both + ".";
  const std::optional<double> error = iteration.relative_error();
  if (!error) return reference + " takes no time, " + other + " " + format_seconds(iteration.other_s) + ".";
  constexpr double kSame = 0.0005;
  const std::string head = std::fabs(*error) < kSame
                               ? other + " agrees with " + reference + " within 0.1 % " + both
                               : other + " takes " + percent(std::fabs(*error), 1) + (*error < 0 ? " less" : " more") +
                                     " time than " + reference + " " + both;
  if (comparison.cancels()) return head + ", " + cancelling(comparison) + ".";
  const std::string why = explanation(comparison);
  return head + (why.empty() ? "" : ": " + why) + ".";
}

}  // namespace simtrain
