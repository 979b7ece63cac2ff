// What a Profile is made of; for its .cpp files only.
#pragma once

#include "calibrate/fit.hpp"
#include "calibrate/profile.hpp"

namespace simtrain {

struct Profile::State {
  std::string path;
  Certificate certificate;
  std::vector<Sample> samples;
  std::map<Kernel, KernelFit> fits;
  NetworkSection network;
};

std::map<Kernel, std::vector<Sample>> by_kernel(const std::vector<Sample>& samples);

// The value with the four significant digits that the file keeps.
double to_four_digits(double value);

}  // namespace simtrain
