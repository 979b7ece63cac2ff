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

// Reads the files for their hashes; by this host, now, or when SOURCE_DATE_EPOCH says in the environment
// (https://reproducible-builds.org/specs/source-date-epoch), so that two results can be the same to the last byte.
// InputError when a file is gone, or the variable is no number.
Passport make_passport(const std::string& program, const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& versions, const std::vector<InputFile>& files);

}  // namespace simtrain
