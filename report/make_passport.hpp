// A passport for a result of this process.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "report/passport.hpp"

namespace simtrain {

struct InputFile {
  std::string option, name;  // as given
  std::filesystem::path path;
};

// Reads the files for their hashes; by this host, now. InputError when one is gone.
Passport make_passport(const std::string& program, const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& versions, const std::vector<InputFile>& files);

}  // namespace simtrain
