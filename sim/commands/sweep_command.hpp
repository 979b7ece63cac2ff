#pragma once

#include <string>
#include <vector>

namespace simtrain {

// simtrain sweep ...
int sweep_command(const std::vector<std::string>& arguments);

// simtrain merge RESULTS ...: the shares of a sweep as one.
int merge_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
