#include "train/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr std::array kPlain{Strategy::Kind::uniform, Strategy::Kind::conv_batch, Strategy::Kind::pair,
                            Strategy::Kind::domain};

void sort_by_seconds(std::vector<Candidate>& candidates) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.seconds < b.seconds; });
}

// Each kind on the grid where it is best, then on the others.
struct PlainOnes {
  std::vector<Candidate> best, others;
};
PlainOnes plain_ones(const StrategySearch& search, int processes) {
  PlainOnes plain;
  for (const Strategy::Kind kind : kPlain) {
    const Strategy strategy{.kind = kind};
    std::vector<Candidate> on_grids;
    for (const Grid grid : grids_of(processes))
      if (const std::optional<Choice> choice = search.choice_of(strategy, grid))
        on_grids.push_back({to_string(strategy) + " on " + to_string(grid), *choice, search.seconds(*choice)});
    sort_by_seconds(on_grids);
    for (std::size_t i = 0; i < on_grids.size(); ++i) (i == 0 ? plain.best : plain.others).push_back(on_grids[i]);
  }
  sort_by_seconds(plain.best);
  sort_by_seconds(plain.others);
  return plain;
}

std::vector<Candidate> runners_up(const StrategySearch& search, const Choice& best) {
  std::vector<Candidate> others;
  for (std::size_t i = 0; i < best.size(); ++i) {
    const Minimum other = search.best_without(static_cast<int>(i), best[i]);
    if (!std::isfinite(other.sum)) continue;
    const LayerStrategy& split = search.layers()[i].splits[static_cast<std::size_t>(other.values[i])];
    others.push_back({search.layers()[i].name + " on " + to_string(split) + " instead", other.values, other.sum});
  }
  sort_by_seconds(others);
  return others;
}

}  // namespace

std::vector<Candidate> candidates_of(const StrategySearch& search, int processes) {
  const Minimum least = search.best();
  SIMTRAIN_INVARIANT(std::isfinite(least.sum), "a network with no split at all");
  std::vector<Candidate> candidates{{"least by the formulas", least.values, least.sum}};
  const auto add = [&](const Candidate& candidate) {
    const bool known = std::any_of(candidates.begin(), candidates.end(),
                                   [&](const Candidate& one) { return one.choice == candidate.choice; });
    if (!known) candidates.push_back(candidate);
    return !known;
  };
  const PlainOnes plain = plain_ones(search, processes);
  const std::vector<Candidate> others = runners_up(search, least.values);
  for (std::size_t p = 0, o = 0; p < plain.best.size() || o < others.size();) {
    while (p < plain.best.size() && !add(plain.best[p++])) continue;
    while (o < others.size() && !add(others[o++])) continue;
  }
  for (const Candidate& one : plain.others) add(one);
  return candidates;
}

Grid main_grid(const StrategySearch& search, const Choice& choice) {
  const Plan plan = search.plan(choice);
  const std::vector<LayerSeconds> layers = layer_seconds(plan, search.costs());
  const auto grid_of = [&](std::size_t i) {
    return search.layers()[i].splits[static_cast<std::size_t>(choice[i])].grid;
  };
  Grid best{};
  double most_s = -1;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    double seconds = 0;
    for (std::size_t other = 0; other < layers.size(); ++other)
      if (grid_of(other) == grid_of(i)) seconds += layers[other].total();
    if (seconds <= most_s) continue;
    best = grid_of(i);
    most_s = seconds;
  }
  return best;
}

}  // namespace simtrain
