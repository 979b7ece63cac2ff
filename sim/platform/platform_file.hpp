// Platform files that hold one word: NAME.platform. For machines of our families, with room to say where the numbers
// come from:
//
//   # A rack of …: 16 hosts per leaf switch (source)
//   fat-tree:16x16,up=8,bandwidth=12.5GBps
//
// "#" starts a comment, anywhere in a line.
#pragma once

#include <filesystem>

#include "sim/platform/spec.hpp"

namespace simtrain {

inline constexpr const char* kPlatformFileExtension = ".platform";

// InputError "platform 'PATH'…" with the line when it cannot be read, has no word or more than one, or the word is
// wrong (as in parse_platform_spec).
PlatformSpec read_platform_file(const std::filesystem::path& path);

}  // namespace simtrain
