#include "report/make_passport.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/date.hpp"
#include "base/digest.hpp"
#include "base/files.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

std::string host_name() {
  std::array<char, 256> text{};
  return ::gethostname(text.data(), text.size() - 1) == 0 ? text.data() : "";
}

std::string date() {
  const char* chosen = std::getenv("SOURCE_DATE_EPOCH");
  if (chosen == nullptr || *chosen == '\0') return now_utc();
  constexpr std::int64_t kYear9999 = 253402300799;
  return utc_text(parse_integer("environment variable SOURCE_DATE_EPOCH", chosen, 0, kYear9999));
}

}  // namespace

Passport make_passport(const std::string& program, const std::vector<std::string>& arguments,
                       const std::map<std::string, std::string>& versions, const std::vector<InputFile>& files) {
  Passport passport{program, arguments, versions, {}, host_name(), date()};
  for (const InputFile& file : files)
    passport.inputs.push_back({file.option, file.name, sha256_hex(read_file(file.option, file.path))});
  return passport;
}

}  // namespace simtrain
