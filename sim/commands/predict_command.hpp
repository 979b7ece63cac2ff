// The prediction from the command line.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"

namespace simtrain {

// simtrain --platform ... --grid ...
int predict_command(const std::vector<std::string>& arguments);

// InputErrors of predict_as_asked, and who would be behind its result.
Passport passport_as_asked(const std::vector<std::string>& arguments);

// What it would write for these arguments, passport included; nothing is printed or written. Once per process.
Result predict_as_asked(const std::vector<std::string>& arguments);

}  // namespace simtrain
