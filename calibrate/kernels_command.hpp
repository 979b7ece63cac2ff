// `calibrate kernels`: measures this machine's kernels and writes a profile.
#pragma once

#include <string>
#include <vector>

#include "calibrate/kernel_times.hpp"
#include "calibrate/profile.hpp"

namespace simtrain {

// 0; 130 after Ctrl-C, nothing written. InputError for wrong options.
int kernels_command(const std::vector<std::string>& arguments);

// `calibrate show PROFILE`
int show_command(const std::vector<std::string>& arguments);

// The certificate, and a row per kernel: samples, chosen fit, its errors.
std::string to_text(const Profile& profile);

struct Interrupted {};

struct CalibrationOptions {
  double budget_s = 180;
  int repetitions = 15;
  std::uint64_t seed = 1;
  std::string command, machine;     // for the certificate; an empty machine means this one's name
  std::vector<Load> loads{{1, 1}};  // the first alone on one thread; each gets its part of the budget
};

// Measures the calls that plans need, and shapes around them. Calls that are too large for this machine's memory, or
// that alone would take more than a sixtieth of a load's budget, are left out, which stderr tells. Progress goes to
// stderr if that is a terminal. Throws Interrupted on Ctrl-C.
Profile calibrate_kernels(const std::vector<Call>& needed, const CalibrationOptions& options);

}  // namespace simtrain
