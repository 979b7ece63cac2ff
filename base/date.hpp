// When something was done.
#pragma once

#include <cstdint>
#include <string>

namespace simtrain {

// The time now in UTC, ISO 8601: "2026-01-31T14:16:58Z".
std::string now_utc();
// The same of so many seconds after 1970 began.
std::string utc_text(std::int64_t seconds);

}  // namespace simtrain
