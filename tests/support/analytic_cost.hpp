// A node whose kernels cost what a formula says: flops and elements at fixed rates.
#pragma once

#include "kernels/cost_model.hpp"

namespace simtrain {

class AnalyticCost final : public CostModel {
 public:
  double seconds_per_flop = 1e-11;
  double seconds_per_element = 0;

  [[nodiscard]] Estimate estimate(const Call& call) const override {
    const double size = static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
    return {.seconds = is_gemm(call.kernel) ? 2 * size * seconds_per_flop : size * seconds_per_element};
  }
};

}  // namespace simtrain
