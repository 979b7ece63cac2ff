// A native and a simulated result of one job whose differences are worked out by hand, for tests of comparisons.
#pragma once

#include <gtest/gtest.h>

#include "report/compare.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {

inline constexpr double kMs = 1e-3;

// The sample with four figures changed. In ms, native -> simulated:
//   a backward        20   -> 13     -7    -35 %   70 % of the difference
//   neither           10   ->  8     -2    -20 %   20 %
//   b all-reduce dW    2   ->  0.5   -1.5  -75 %   15 %
//   b forward          5   ->  5.5   +0.5  +10 %   -5 %
//   iteration         80   -> 70    -10   -12.5 %         (computing 48 -> 41.5, communication 22 -> 20.5)
inline NamedResult native() { return {"native.json", sample_native_result()}; }

inline NamedResult simulated() {
  NamedResult sample{"simulated.json", sample_result()};
  Result& result = sample.result;
  result.layers[0].backward_s.mean = 13 * kMs;
  result.layers[1].forward_s.mean = 5.5 * kMs;
  result.layers[1].reduce_weights.seconds.mean = 0.5 * kMs;
  result.iteration_seconds = {70 * kMs};
  result.iteration_s = 70 * kMs;
  return sample;
}

inline void expect_contrast(const Contrast& contrast, double reference_ms, double other_ms) {
  EXPECT_NEAR(contrast.reference_s, reference_ms * kMs, 1e-12);
  EXPECT_NEAR(contrast.other_s, other_ms * kMs, 1e-12);
  EXPECT_NEAR(contrast.difference_s(), (other_ms - reference_ms) * kMs, 1e-12);
}

}  // namespace simtrain
