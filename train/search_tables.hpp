// The cost tables of a strategy search (train/search.hpp): which layers the time of a step depends on, and plans that
// tell the times of all of them. Internal to StrategySearch.
//
// A group is a layer with weights and those without that belong to it (train/strategy.hpp). Group u's table is over u
// and the groups that read what u puts out, and holds
//   - what u computes: products, what belongs to them, updates
//   - its all-reduces of dX and dW
//   - gathers of what it puts out, and redistributions of it and of its gradient to the grids of its readers
//   - halos of its images, the sums of its readers' gradients, joins of it with what another group puts out
// In a chain that is a table for each pair of neighbours.
//
// Groups that stand in one table get different colours, all of one colour are split alike, and every combination of
// splits of the colours is planned: with two colours for a chain as many plans as there are pairs of splits, however
// long it is.
#pragma once

#include <functional>
#include <vector>

#include "train/minimise.hpp"
#include "train/plan.hpp"

namespace simtrain {

inline constexpr double kMostPlans = 100'000;

class SearchTables {
 public:
  // The network of a plan, and how many splits its layers with weights have.
  SearchTables(const Network& network, const std::vector<int>& sizes);

  // price(values): adds what each step of the plan with these splits takes to the table of its owner, by add(owner,
  // seconds); false: there is no such plan.
  using Priced = std::function<bool(const std::vector<int>& values, std::vector<double>& by_owner)>;
  // The tables, by group. An entry for which there is no plan is infinite. InputError when more than kMostPlans are
  // needed: minutes.
  std::vector<CostFactor> fill(const Priced& priced) const;

  // Whose table has a step's time.
  [[nodiscard]] int owner(const Plan& plan, const Step& step) const;

 private:
  [[nodiscard]] int group(int layer) const;
  [[nodiscard]] std::vector<int> colours() const;

  const Network& network_;
  const std::vector<int>& sizes_;
  std::vector<int> groups_;               // by layer
  std::vector<std::vector<int>> scopes_;  // by group
};

}  // namespace simtrain
