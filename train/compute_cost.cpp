#include "train/compute_cost.hpp"

#include <algorithm>

namespace simtrain {

ComputeCost compute_cost(const Plan& plan, PricedOperations& prices) {
  const std::int64_t ranks = plan.options.grid.size();
  ComputeCost cost;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const Coordinates at = plan.options.grid.coordinates(static_cast<int>(rank));
    double seconds = 0;
    for (const Step& step : plan.steps) {
      const auto* compute = std::get_if<ComputeStep>(&step);
      if (compute == nullptr) continue;
      const Operation operation = plan.operation(*compute, at);
      const OperationCost price = prices.price(operation);
      seconds += price.seconds;
      cost.extrapolated_s += price.extrapolated_s;
      cost.gemm_flops += gemm_flops(operation);
    }
    cost.mean_s += seconds;
    cost.longest_s = std::max(cost.longest_s, seconds);
  }
  for (double* mean : {&cost.mean_s, &cost.extrapolated_s, &cost.gemm_flops}) *mean /= static_cast<double>(ranks);
  return cost;
}

}  // namespace simtrain
