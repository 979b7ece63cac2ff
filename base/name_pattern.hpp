// Names with "*" for any characters, none included, and "?" for one: "host-1?", "x+ of (3,0,*)", "conv*".
#pragma once

#include <string_view>

namespace simtrain {

bool matches(std::string_view pattern, std::string_view name);

}  // namespace simtrain
