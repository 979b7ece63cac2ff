// Platforms in SimGrid's XML.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim/platform/platform.hpp"

namespace simtrain {

// Reads the file in a child process and reports what it holds. InputError "platform 'PATH', line L: …" (the line where
// it is known) for XML that is malformed or truncated, that is not a platform or of a version we do not know, that
// SimGrid refuses, aborts on or crashes on, that has no host, or hosts between which no route leads. All pairs of hosts
// are tried up to 128 hosts; above, each host with its successor and with the first one, both ways.
PlatformSummary check_platform_xml(const std::filesystem::path& path);

// Loads a file that passed the check, and seals the platform. `name` is the user's word for it.
LoadedPlatform load_platform_xml(simgrid::s4u::Engine& engine, const std::string& name,
                                 const std::filesystem::path& path);

// "node-2" before "node-10": runs of digits compare as numbers.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace simtrain
