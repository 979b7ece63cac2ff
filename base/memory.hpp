// How much memory there is.
#pragma once

#include <optional>

namespace simtrain {

// Memory that processes can still have, by Linux; none where it does not tell.
std::optional<double> available_bytes();

}  // namespace simtrain
