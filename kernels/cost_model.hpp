// Seconds that a primitive kernel call takes on the target node. A measured profile (calibrate/profile.hpp) is one;
// tests use analytic ones.
#pragma once

#include "kernels/operation.hpp"

namespace simtrain {

struct Estimate {
  double seconds = 0;
  bool measured_range = true;  // false: the call's shape lies outside the range the model was fitted on
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  // InputError if the model lacks the kernel, naming the model's file and the kernel.
  [[nodiscard]] virtual Estimate estimate(const Call& call) const = 0;
};

// The price of a whole operation: the sum over its calls, and the part of it outside the measured range.
struct OperationCost {
  double seconds = 0;
  double extrapolated_s = 0;
};
OperationCost price(const CostModel& model, const Operation& operation);

}  // namespace simtrain
