// When something was done.
#pragma once

#include <string>

namespace simtrain {

// The time now in UTC, ISO 8601: "2026-01-31T14:16:58Z".
std::string now_utc();

}  // namespace simtrain
