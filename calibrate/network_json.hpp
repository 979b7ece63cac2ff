// The network section as JSON: docs/profile.schema.json.
#pragma once

#include <string>

#include "base/json.hpp"
#include "calibrate/network_section.hpp"

namespace simtrain {

// One sample a line. Precondition: not empty.
std::string write_network(const NetworkSection& section);

// Strict. InputError for anything that write_network would not write.
NetworkSection read_network(JsonObject object);

}  // namespace simtrain
