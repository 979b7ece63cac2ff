// How far a machine has moved from its profile: a few telling samples, measured again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/profile.hpp"

namespace simtrain {

struct Drift {
  std::string what;     // a kernel, or a timing of messages
  std::string used_in;  // what of a prediction it touches
  struct Point {
    std::string at;  // a shape or a size
    double profile_s, now_s;
  };
  std::vector<Point> points;
  double change = 0;  // the middle one of now/profile - 1

  [[nodiscard]] bool beyond(double threshold) const { return change > threshold || change < -threshold; }
};

// ---- kernels

// Of every kernel some samples from small to large, none longer than `most_s`: more of products, on which most time
// goes, and of these some that are tall and skinny.
std::vector<Sample> telling_samples(const Profile& profile, double most_s);

// By their medians. `now`: the same calls measured again, in any order.
std::vector<Drift> drift_of(const std::vector<Sample>& before, const std::vector<Sample>& now);

// Where training uses a kernel: "backward of linear and convolution layers (weight gradient)".
std::string_view used_in(Kernel kernel);

// ---- messages

// The timings that a simulation takes, and the idle ones if it takes others.
std::vector<MessageTiming> telling_timings(const NetworkPlace& place);

// Sizes that were measured, evenly from 0 to the largest that is at most `largest`; a dozen.
std::vector<std::int64_t> telling_sizes(const NetworkPlace& place, std::int64_t largest);

// By the first quartiles, as profiles take them. `now` may lack sizes and timings.
std::vector<Drift> drift_of(const NetworkPlace& before, const std::map<MessageTiming, std::vector<MessageSample>>& now);

}  // namespace simtrain
