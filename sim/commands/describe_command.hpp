// simtrain describe
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// Arguments after the command's name; the exit status.
int describe_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
