#include "sim/prediction/crossings.hpp"

#include <cmath>
#include <map>
#include <optional>

namespace simtrain {

namespace {

double rounded(const CrossingSearch& search, double value) { return search.whole_numbers ? std::round(value) : value; }

std::vector<double> first_values(const CrossingSearch& search) {
  std::vector<double> values;
  for (int i = 0; i < search.samples; ++i) {
    const double part = static_cast<double>(i) / (search.samples - 1);
    const double value = rounded(search, search.least * std::pow(search.most / search.least, part));
    if (values.empty() || value > values.back()) values.push_back(value);
  }
  return values;
}

// Between two values, or nothing when they are near enough.
std::optional<double> middle(const CrossingSearch& search, double below, double above) {
  if (above / below <= search.ratio) return std::nullopt;
  const double value = rounded(search, std::sqrt(below * above));
  if (value <= below || value >= above) return std::nullopt;
  return value;
}

}  // namespace

Crossings find_crossings(const CrossingSearch& search, const BestAt& best_at) {
  std::map<double, int> known;
  for (std::vector<double> asked = first_values(search); !asked.empty();) {
    const std::vector<int> best = best_at(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) known[asked[i]] = best[i];
    asked.clear();
    for (auto at = known.begin(), next = std::next(at); next != known.end(); at = next++)
      if (at->second != next->second)
        if (const auto between = middle(search, at->first, next->first)) asked.push_back(*between);
  }
  Crossings found;
  for (auto at = known.begin(); at != known.end(); ++at) {
    found.values.push_back(at->first);
    found.best.push_back(at->second);
    const auto next = std::next(at);
    if (next != known.end() && next->second != at->second)
      found.crossings.push_back({at->first, next->first, at->second, next->second});
  }
  return found;
}

}  // namespace simtrain
