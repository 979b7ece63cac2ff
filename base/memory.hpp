// How much memory there is.
#pragma once

#include <optional>

namespace simtrain {

// Memory that processes can still have, by Linux; none where it does not tell.
std::optional<double> available_bytes();
// That this machine has in all.
double total_bytes();

}  // namespace simtrain
