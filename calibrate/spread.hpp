// Shapes to measure besides those that a plan needs, so that a fit knows more than them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/operation.hpp"

namespace simtrain {

struct SpreadLimits {
  int shapes = 160;                         // per kernel with three sizes; half of them all over, half around `needed`
  double largest_products = 4e8;            // m*n*k of a matrix product: bounds its time
  std::int64_t largest_floats = 1 << 26;    // of one operand
  std::int64_t largest_elements = 1 << 25;  // of a streaming kernel
};

// Calls of every kernel, none of which is in `needed`, no two equal. Matrix products and im2col: points of a
// low-discrepancy sequence in log(m, n, k); streaming kernels: a size in every factor of 1.5, from 64 elements up.
std::vector<Call> spread_calls(const std::vector<Call>& needed, const SpreadLimits& limits, std::uint64_t seed);

// Point `i` of the additive recurrence in three dimensions with the generalised golden ratio g, g^4 = g + 1 (M.
// Roberts, "The unreasonable effectiveness of quasirandom sequences", 2018): u_j = frac(start_j + i/g^j). In [0, 1).
struct Point3 {
  double u[3];
};
Point3 low_discrepancy(std::uint64_t seed, std::uint64_t i);

}  // namespace simtrain
