#include "kernels/cost_model.hpp"

namespace simtrain {

OperationCost price(const CostModel& model, const Operation& operation) {
  OperationCost cost;
  for_each_call(operation, [&](const Call& call, std::int64_t times) {
    const Estimate one = model.estimate(call);
    const double seconds = one.seconds * static_cast<double>(times);
    cost.seconds += seconds;
    if (!one.measured_range) cost.extrapolated_s += seconds;
  });
  return cost;
}

}  // namespace simtrain
