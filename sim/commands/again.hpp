// Documents of commands, had again from their passports: what simtrain rerun needs of each of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/passport.hpp"

namespace simtrain {

struct AskedAgain {
  Passport passport;                      // of the inputs as they are now
  std::function<std::string()> document;  // computes it: what --json would write; once per process
};

// Arguments as in a passport, without the command's name and outputs. InputErrors of the commands.
AskedAgain sweep_again(const std::vector<std::string>& arguments);
AskedAgain flip_again(const std::vector<std::string>& arguments);
AskedAgain cost_again(const std::vector<std::string>& arguments);
AskedAgain collective_again(const std::vector<std::string>& arguments);
AskedAgain compare_again(const std::vector<std::string>& arguments);
AskedAgain describe_again(const std::vector<std::string>& arguments);

}  // namespace simtrain
