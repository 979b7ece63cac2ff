// From what ranks measured to a Result: min, mean and max over ranks, per layer.
#pragma once

#include <vector>

#include "report/result.hpp"
#include "train/phase_log.hpp"
#include "train/rank_result.hpp"

namespace simtrain {

// Add every rank once, in any order; the outcome does not depend on it beyond rounding of the means, and losses not
// even by that: they are summed in the order of the grid columns.
class Summary {
 public:
  explicit Summary(const Plan& plan);
  void add(const RankResult& rank);
  // Fills iteration_seconds, iteration_s, losses, layers (names, times, traffic, algorithms), memory and of the job
  // what its plan says; the rest of the Result is the caller's. `phases`: what all ranks noted; none: the result has
  // none.
  [[nodiscard]] Result finish(const PhaseLog* phases = nullptr) const;

 private:
  struct Running {  // of one quantity over ranks
    double min = 0, sum = 0, max = 0;
  };
  void fold(std::size_t index, double value);
  [[nodiscard]] Spread spread(std::size_t index, double divisor) const;
  [[nodiscard]] CollectiveResult exchange(int row, Exchange exchange, double iterations) const;

  const Plan& plan_;
  std::int64_t ranks_ = 0;
  std::vector<Running> totals_;         // by row: works, then exchanges x (seconds, bytes, messages, exposed)
  std::vector<double> iteration_ends_;  // seconds of all iterations up to this one, of the rank that ends it last
  std::vector<std::vector<double>> loss_sums_;  // by grid column of the last layer
};

}  // namespace simtrain
