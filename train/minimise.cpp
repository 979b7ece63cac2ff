#include "train/minimise.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

std::size_t at(int index) { return static_cast<std::size_t>(index); }
bool holds(const std::vector<int>& scope, int variable) {
  return std::find(scope.begin(), scope.end(), variable) != scope.end();
}

// A variable that is gone, and its best value for each entry of the table that came in its place.
struct Eliminated {
  int variable;
  std::vector<int> scope;
  std::vector<int> best;
};

class Elimination {
 public:
  Elimination(const std::vector<CostFactor>& factors, const std::vector<int>& sizes,
              const std::vector<std::vector<char>>& barred)
      : factors_(factors), sizes_(sizes), barred_(barred), values_(sizes.size(), 0) {}

  Minimum run() {
    std::vector<char> gone(sizes_.size(), 0);
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const int next = cheapest(gone);
      gone[at(next)] = 1;
      eliminate(next);
    }
    double sum = 0;
    for (const CostFactor& constant : factors_) sum += constant.table[0];
    if (sum == kImpossible) return {};
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      values_[at(step->variable)] = step->best[entry_of(step->scope, sizes_, values_)];
    return {sum, values_};
  }

 private:
  // The variables that one shares tables with, in order.
  [[nodiscard]] std::vector<int> neighbours(int variable) const {
    std::vector<int> found;
    for (const CostFactor& factor : factors_) {
      if (!holds(factor.scope, variable)) continue;
      for (const int other : factor.scope)
        if (other != variable && !holds(found, other)) found.push_back(other);
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // The one whose elimination leaves the smallest table, the first of equal ones.
  [[nodiscard]] int cheapest(const std::vector<char>& gone) const {
    int best = -1;
    std::size_t least = 0;
    for (int variable = 0; variable < static_cast<int>(sizes_.size()); ++variable) {
      if (gone[at(variable)] != 0) continue;
      const std::size_t entries = entries_of(neighbours(variable), sizes_);
      if (best >= 0 && entries >= least) continue;
      best = variable;
      least = entries;
    }
    return best;
  }

  void eliminate(int variable) {
    Eliminated step{variable, neighbours(variable), {}};
    const std::size_t entries = entries_of(step.scope, sizes_);
    if (entries > kMostEntries / at(sizes_[at(variable)]))
      throw Failure("a table of " + std::to_string(entries) + " entries is needed to choose among all combinations");
    std::vector<CostFactor> taken, left;
    for (CostFactor& factor : factors_) (holds(factor.scope, variable) ? taken : left).push_back(std::move(factor));
    CostFactor made{step.scope, std::vector<double>(entries, kImpossible)};
    step.best.assign(entries, 0);
    for (const int shared : step.scope) values_[at(shared)] = 0;
    for (std::size_t entry = 0; entry < entries; ++entry, advance(step.scope)) {
      for (int& value = values_[at(variable)] = 0; value < sizes_[at(variable)]; ++value) {
        if (!barred_.empty() && !barred_[at(variable)].empty() && barred_[at(variable)][at(value)] != 0) continue;
        const double sum = sum_of(taken, sizes_, values_);
        if (sum >= made.table[entry]) continue;
        made.table[entry] = sum;
        step.best[entry] = value;
      }
    }
    left.push_back(std::move(made));
    factors_ = std::move(left);
    steps_.push_back(std::move(step));
  }

  // The next values of these variables, as in a table.
  void advance(const std::vector<int>& scope) {
    for (std::size_t i = scope.size(); i-- > 0;) {
      if (++values_[at(scope[i])] < sizes_[at(scope[i])]) return;
      values_[at(scope[i])] = 0;
    }
  }

  std::vector<CostFactor> factors_;
  const std::vector<int>& sizes_;
  const std::vector<std::vector<char>>& barred_;
  std::vector<int> values_;
  std::vector<Eliminated> steps_;
};

}  // namespace

std::size_t entries_of(const std::vector<int>& scope, const std::vector<int>& sizes) {
  std::size_t entries = 1;
  for (const int variable : scope) entries = std::min(entries, kMostEntries) * at(sizes[at(variable)]);
  return entries;
}

std::size_t entry_of(const std::vector<int>& scope, const std::vector<int>& sizes, const std::vector<int>& values) {
  std::size_t entry = 0;
  for (const int variable : scope) entry = entry * at(sizes[at(variable)]) + at(values[at(variable)]);
  return entry;
}

double sum_of(const std::vector<CostFactor>& factors, const std::vector<int>& sizes, const std::vector<int>& values) {
  double sum = 0;
  for (const CostFactor& factor : factors) sum += factor.table[entry_of(factor.scope, sizes, values)];
  return sum;
}

Minimum minimise(const std::vector<CostFactor>& factors, const std::vector<int>& sizes,
                 const std::vector<std::vector<char>>& barred) {
  return Elimination(factors, sizes, barred).run();
}

}  // namespace simtrain
