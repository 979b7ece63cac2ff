// What a Profile is made of; for its .cpp files only.
#pragma once

#include <functional>

#include "calibrate/kernel_times.hpp"
#include "calibrate/profile.hpp"

namespace simtrain {

struct Profile::State {
  std::string path;
  Certificate certificate;
  std::map<Load, KernelTimes> loads;
  NetworkSection network;
  std::function<NetworkSection()> read_network;  // null: it has been
};

}  // namespace simtrain
