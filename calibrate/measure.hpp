// Measures calls: every one in each of several passes, in an order that is new in each pass, so that a disturbance of
// the machine hits single repetitions of many shapes rather than all of one.
#pragma once

#include <functional>
#include <vector>

#include "calibrate/profile.hpp"
#include "calibrate/workbench.hpp"

namespace simtrain {

struct MeasureOptions {
  double budget_s = 180;  // no pass but the first two starts a call after this
  int repetitions = 15;   // passes
  std::uint64_t seed = 1;
  // Asked before every call: true ends the measuring.
  std::function<bool()> stop = [] { return false; };
  // Long calls vary little, whatever was there before, and would take all of the budget: they take part in the first
  // five passes only. Processes that measure at once must agree on them.
  std::function<bool(const Call&)> is_long = [](const Call&) { return false; };
  // Called right before every time that is taken: processes that measure at once meet here.
  std::function<void()> meet = [] {};
  // Told before every call what part of the calls or of the budget is done, and the pass (from 1).
  std::function<void(double fraction, int pass)> progress = [](double, int) {};
};

struct Measurements {
  std::vector<Sample> samples;  // in the order of the calls
  bool stopped = false;         // by `stop`: the samples are not complete
  int passes = 0;               // whole ones
};

// Each repetition lasts at least kLeastTime_s: short calls are executed several times and the mean is kept.
inline constexpr double kLeastTime_s = 200e-6;

// As many times as a profile keeps of a sample: of more repetitions, the quantiles (i + 1/2) / kKeptTimes, in ascending
// order, which have the same median and nearly the same distribution.
inline constexpr std::size_t kKeptTimes = 9;
void keep_quantiles(std::vector<Sample>& samples);

// Precondition: the calls are distinct, fit the workbench and are executable.
Measurements measure(Workbench& bench, const std::vector<Call>& calls, const MeasureOptions& options);

}  // namespace simtrain
