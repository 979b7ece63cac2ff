// A fast reader of a kernel's samples as a profile is written: thousands of them are read at every start.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/profile.hpp"

namespace simtrain {

// The samples of a JSON list, with all that docs/profile.schema.json says of one sample; nothing for what is wrong, and
// for what is right but not as Profile::to_json() writes it, which are left to a slower reader.
std::optional<std::vector<Sample>> read_plain_samples(Kernel kernel, std::string_view list);

}  // namespace simtrain
