// Whether a specification can be built: what parse_platform_spec() (sim/platform/spec.hpp) looks at before it returns.
#pragma once

#include <string>

#include "sim/platform/spec.hpp"

namespace simtrain {

// InputError "WHO…" for a shape with the wrong number of numbers for its family, or with too many hosts.
void check_hosts(const std::string& who, const PlatformSpec& spec);

// After check_hosts, once uplinks, cables and global ports are known. InputError for as many of them as do not fit the
// shape, too few global ports, too many switches or cables.
void check_switches(const std::string& who, const PlatformSpec& spec);

// "16x8"
std::string joined(const std::vector<int>& numbers);

}  // namespace simtrain
