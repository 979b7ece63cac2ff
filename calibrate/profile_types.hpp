// What both halves of a profile, kernels and network, are made of.
#pragma once

namespace simtrain {

struct FitError {  // |predicted/measured median - 1| over the samples kept aside
  int samples = 0;
  double median = 0, percentile95 = 0, worst = 0;
  bool operator==(const FitError&) const = default;
};

// The value with the four significant digits that a profile keeps.
double to_four_digits(double value);

}  // namespace simtrain
