// What the certificates of a profile say of here and now.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/profile.hpp"

namespace simtrain {

// This machine, its BLAS and the date. machine: empty means the host's name.
Certificate certify(const std::string& machine, const std::string& command, std::uint64_t seed,
                    const std::string& operands);

// "NAME=value NAME=value" of the environment variables that begin with one of the prefixes, sorted.
std::string environment_of(const std::vector<std::string_view>& prefixes);

}  // namespace simtrain
