// `calibrate check PROFILE`: does this machine still take the times that the profile says?
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// 0: every kernel within the threshold; 1: some are not; 130 after Ctrl-C. InputError for wrong options.
int check_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
