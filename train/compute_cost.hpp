// What the ranks of a plan compute in an iteration, alone: no messages, no waiting.
#pragma once

#include "kernels/modelled.hpp"
#include "train/plan.hpp"

namespace simtrain {

struct ComputeCost {
  double mean_s = 0, longest_s = 0;  // over ranks
  double extrapolated_s = 0;         // of mean_s, what lies outside the profile's measured range
  double gemm_flops = 0;             // mean over ranks, a multiply-add as two (kernels/operation.hpp)
};

// Work: one price per rank and step, most of them remembered by `prices`.
ComputeCost compute_cost(const Plan& plan, PricedOperations& prices);

}  // namespace simtrain
