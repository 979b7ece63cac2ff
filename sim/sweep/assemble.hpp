// From what is known of the points to the sweep that is reported. Whoever has the same results, in whatever order and
// from however many files they came, gets the same sweep.
#pragma once

#include <map>
#include <string>

#include "report/sweep.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

// What a point's seconds of an iteration are divided by before points are compared, as far as bounds are concerned: its
// batch where batches vary, else 1. Points of different networks are never compared.
double images_compared(const SweepInputs& inputs, const SpacePoint& point);

// The fastest result of each network so far, in seconds as compared above.
class FastestSoFar {
 public:
  explicit FastestSoFar(const SweepInputs& inputs) : inputs_(inputs) {}
  void note(const SpacePoint& point, double iteration_s);
  // Whether a point that takes at least so long cannot be the fastest of its network.
  [[nodiscard]] bool beats(const SpacePoint& point, double lower_bound_s) const;

 private:
  const SweepInputs& inputs_;
  std::map<std::string, double> best_s_;  // by network
};

// `troubles`: why points that are not settled have no result here; "" or none: it is missing.
// With --prune, skipped are the points whose lower bound is above the fastest time of their network, whether they were
// simulated before that was known or not: which ones were depends on who was ready first, and this does not. No point
// below that time was skipped, since what is the fastest so far never gets slower.
Sweep assemble(const SweepInputs& inputs, const PointStates& states,
               const std::map<std::size_t, std::string>& troubles);

}  // namespace simtrain
