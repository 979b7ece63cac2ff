#include "report/compare_parts.hpp"

#include <algorithm>
#include <cmath>

#include "report/collective_of.hpp"

namespace simtrain {

namespace {

// Sums over layers of the collective that a phase is.
double sum_of(const Result& result, Phase phase, double (*figure)(const CollectiveResult&)) {
  double sum = 0;
  for (const LayerResult& layer : result.layers) sum += figure(*collective_of(layer, phase));
  return sum;
}

// How long the busiest link of a class was in use.
double busiest_s(const Result& result, const LinkClassResult& links) {
  return links.max_utilisation * result.iteration_s;
}

template <typename Part>
void sort_by_difference(std::vector<Part>& parts, Contrast Part::*of) {
  std::stable_sort(parts.begin(), parts.end(), [&](const Part& x, const Part& y) {
    return std::fabs((x.*of).difference_s()) > std::fabs((y.*of).difference_s());
  });
}

}  // namespace

void add_collectives(Comparison& comparison) {
  const Result &ours = comparison.reference.result, &theirs = comparison.other.result;
  if (ours.kind != "simulated" || theirs.kind != "simulated") return;
  const auto seconds = [](const CollectiveResult& one) { return one.seconds.mean; };
  const auto alpha_beta = [](const CollectiveResult& one) { return one.alpha_beta_s; };
  for (int number = 0; number < kPhases; ++number) {
    const auto phase = static_cast<Phase>(number);
    if (computes(phase)) continue;
    const CollectiveContrast both{phase,
                                  {sum_of(ours, phase, seconds), sum_of(theirs, phase, seconds)},
                                  {sum_of(ours, phase, alpha_beta), sum_of(theirs, phase, alpha_beta)}};
    if (both.seconds.reference_s > 0 || both.seconds.other_s > 0) comparison.collectives.push_back(both);
  }
  sort_by_difference(comparison.collectives, &CollectiveContrast::seconds);
}

void add_links(Comparison& comparison) {
  const Result &ours = comparison.reference.result, &theirs = comparison.other.result;
  if (!ours.links || !theirs.links) return;
  for (const LinkClassResult& one : ours.links->classes)
    comparison.links.push_back({one.name, {busiest_s(ours, one), 0}, one.bytes, 0});
  for (const LinkClassResult& one : theirs.links->classes) {
    auto at = std::find_if(comparison.links.begin(), comparison.links.end(),
                           [&](const LinkContrast& known) { return known.name == one.name; });
    if (at == comparison.links.end()) at = comparison.links.insert(at, {one.name, {}, 0, 0});
    at->busiest.other_s = busiest_s(theirs, one);
    at->other_bytes = one.bytes;
  }
  std::erase_if(comparison.links,
                [](const LinkContrast& one) { return one.reference_bytes == 0 && one.other_bytes == 0; });
  sort_by_difference(comparison.links, &LinkContrast::busiest);
}

}  // namespace simtrain
