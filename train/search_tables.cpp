#include "train/search_tables.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/error.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();
constexpr double kUnknown = -1;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace

SearchTables::SearchTables(const Network& network, const std::vector<int>& sizes) : network_(network), sizes_(sizes) {
  int weighted = 0;
  for (const Layer& layer : network.layers) groups_.push_back(layer.weighted() ? weighted++ : group(layer.inputs[0]));
  scopes_.resize(sizes.size());
  for (std::size_t u = 0; u < scopes_.size(); ++u) scopes_[u].push_back(static_cast<int>(u));
  for (std::size_t i = 0; i < network.layers.size(); ++i)
    for (const int input : network.layers[i].inputs) {
      std::vector<int>& scope = scopes_[at(group(input))];
      if (std::find(scope.begin(), scope.end(), groups_[i]) == scope.end()) scope.push_back(groups_[i]);
    }
}

// The network's input is where the first layer with weights is.
int SearchTables::group(int layer) const { return layer == kNetworkInput ? 0 : groups_[at(layer)]; }

int SearchTables::owner(const Plan& plan, const Step& step) const {
  const auto of_tensor = [&](int tensor) { return group(plan.tensors[at(tensor)].layer); };
  if (const auto* compute = std::get_if<ComputeStep>(&step)) {
    if (compute->sum >= 0) return of_tensor(compute->sum);
    const Layer& layer = network_.layers[at(compute->layer)];
    const int own = group(compute->layer);
    if (layer.type == LayerType::add)  // whether it may overwrite an input depends on how that is split
      for (const int input : layer.inputs)
        if (group(input) != own) return group(input);
    return own;
  }
  if (const auto* collective = std::get_if<CollectiveStep>(&step))
    return collective->exchange == Exchange::all_gather ? of_tensor(collective->tensor) : collective->row;
  if (const auto* moved = std::get_if<RedistributeStep>(&step)) return of_tensor(moved->to);
  if (const auto* halo = std::get_if<HaloStep>(&step)) return of_tensor(halo->own);
  return 0;  // waits take no time
}

// Those that stand in tables with the most others first: so a residual network needs three.
std::vector<int> SearchTables::colours() const {
  std::vector<std::vector<int>> others(scopes_.size());
  for (const std::vector<int>& scope : scopes_)
    for (const int one : scope)
      for (const int other : scope)
        if (other != one) others[at(one)].push_back(other);
  std::vector<int> order(scopes_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return others[at(a)].size() > others[at(b)].size(); });
  std::vector<int> colours(scopes_.size(), -1);
  for (const int one : order) {
    int& colour = colours[at(one)];
    const auto taken = [&](int other) { return colours[at(other)] == colour; };
    for (colour = 0;; ++colour)
      if (std::none_of(others[at(one)].begin(), others[at(one)].end(), taken)) break;
  }
  return colours;
}

std::vector<CostFactor> SearchTables::fill(const Priced& priced) const {
  std::vector<CostFactor> factors;
  for (const std::vector<int>& scope : scopes_)
    factors.push_back({scope, std::vector<double>(entries_of(scope, sizes_), kUnknown)});
  std::vector<int> values(sizes_.size(), 0);
  std::vector<double> by_owner;
  const auto plan_it = [&] {
    by_owner.assign(factors.size(), 0);
    if (!priced(values, by_owner)) return false;
    for (std::size_t u = 0; u < factors.size(); ++u)
      factors[u].table[entry_of(factors[u].scope, sizes_, values)] = by_owner[u];
    return true;
  };

  const std::vector<int> colour = colours();
  std::vector<int> most(*std::max_element(colour.begin(), colour.end()) + 1U, 0);  // splits, by colour
  for (std::size_t u = 0; u < colour.size(); ++u) most[at(colour[u])] = std::max(most[at(colour[u])], sizes_[u]);
  double plans = 1;
  for (const int splits : most) plans *= splits;
  if (plans > kMostPlans)
    throw InputError("--strategy: 'auto' would have to plan network '" + network_.name + "' in " + format_count(plans) +
                     " ways; expected a number of processes with fewer divisors, or a network " +
                     "in which fewer layers read the same output");
  for (std::vector<int> of_colour(most.size(), 0);;) {
    for (std::size_t u = 0; u < values.size(); ++u) values[u] = of_colour[at(colour[u])] % sizes_[u];
    plan_it();
    std::size_t next = 0;
    while (next < most.size() && ++of_colour[next] == most[next]) of_colour[next++] = 0;
    if (next == most.size()) break;
  }

  // What could not be planned with all the others at once: alone, the others on their first split.
  for (CostFactor& factor : factors)
    for (std::size_t entry = 0; entry < factor.table.size(); ++entry) {
      if (factor.table[entry] != kUnknown) continue;
      std::fill(values.begin(), values.end(), 0);
      std::size_t left = entry;
      for (std::size_t i = factor.scope.size(); i-- > 0; left /= at(sizes_[at(factor.scope[i])]))
        values[at(factor.scope[i])] = static_cast<int>(left % at(sizes_[at(factor.scope[i])]));
      if (!plan_it()) factor.table[entry] = kImpossible;
    }
  return factors;
}

}  // namespace simtrain
