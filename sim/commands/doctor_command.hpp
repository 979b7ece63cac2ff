// What works here.
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// simtrain doctor: versions that were found, what is missing, a tiny simulation and a tiny native run. Exit status 1 if
// anything that a program needs is missing or wrong.
int doctor_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
