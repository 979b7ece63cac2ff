// A result, had again from its passport.
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// simtrain rerun RESULT ...
int rerun_command(std::vector<std::string> arguments);

}  // namespace simtrain
