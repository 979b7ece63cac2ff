#include "report/make_passport.hpp"

#include <unistd.h>

#include <array>

#include "base/date.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"

namespace simtrain {

namespace {

std::string host_name() {
  std::array<char, 256> text{};
  return ::gethostname(text.data(), text.size() - 1) == 0 ? text.data() : "";
}

}  // namespace

Passport make_passport(const std::string& program, const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& versions, const std::vector<InputFile>& files) {
  Passport passport{program, arguments, versions, {}, host_name(), now_utc()};
  for (const InputFile& file : files)
    passport.inputs.push_back({file.option, file.name, sha256_hex(read_file(file.option, file.path))});
  return passport;
}

}  // namespace simtrain
