#include "base/date.hpp"

#include <array>
#include <ctime>

namespace simtrain {

std::string now_utc() { return utc_text(std::time(nullptr)); }

std::string utc_text(std::int64_t seconds) {
  const std::time_t now = seconds;
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace simtrain
