// How far a machine has moved from its profile: a few telling samples, measured again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calibrate/profile.hpp"

namespace simtrain {

struct Drift {  // of one kernel
  Kernel kernel;
  struct Point {
    Call call;
    double profile_s, now_s;  // medians
  };
  std::vector<Point> points;
  double change = 0;  // the middle one of now/profile - 1

  [[nodiscard]] bool beyond(double threshold) const { return change > threshold || change < -threshold; }
};

// Of every kernel some samples from small to large, none longer than `most_s`: more of products, on which most time
// goes, and of these some that are tall and skinny.
std::vector<Sample> telling_samples(const Profile& profile, double most_s);

// `now`: the same calls measured again, in any order.
std::vector<Drift> drift_of(const std::vector<Sample>& before, const std::vector<Sample>& now);

// Where training uses a kernel: "backward of linear and convolution layers (weight gradient)".
std::string_view used_in(Kernel kernel);

}  // namespace simtrain
