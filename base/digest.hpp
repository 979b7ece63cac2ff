// SHA-256, as `sha256sum` prints it: whether two files, or two requests, are the same.
#pragma once

#include <string>
#include <string_view>

namespace simtrain {

std::string sha256_hex(std::string_view bytes);

}  // namespace simtrain
