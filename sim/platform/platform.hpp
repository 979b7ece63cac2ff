// Platforms: one word such as "torus:16x16x16,bandwidth=6GBps,latency=1us" (sim/platform/spec.hpp has the grammar), a
// file NAME.platform that holds such a word (sim/platform/platform_file.hpp), or a SimGrid XML file. Shipped files are
// found by their names, with or without the extension.
//
// Words, and XML files with one cluster that is one of our families (sim/platform/xml_cluster.hpp), become topologies
// of ours, whose links are shared fairly and known by their places. Routes of other XML files are SimGrid's own.
//
// Hosts with the same property "node" are cores of one node. Hosts are ordered as their topology numbers them; in other
// XML files by the natural order of their names (node-2 before node-10), since SimGrid itself sorts names as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Link;
class Engine;
class Host;
}  // namespace simgrid::s4u

namespace simtrain {

class Topology;  // sim/platform/topology.hpp

// The core count of hosts whose ranks do not slow each other down, however many they are.
inline constexpr int kUnlimitedCores = 1 << 20;

struct LoadedPlatform {
  std::string name;         // as the user gave it
  std::string description;  // "3-D torus 8x8x4" (from the specification, or the XML file's "description" property)
  std::vector<simgrid::s4u::Host*> hosts;
  std::vector<simgrid::s4u::Link*> links;    // without loopbacks; numbered as in the topology, if there is one
  std::shared_ptr<const Topology> topology;  // null: routes are SimGrid's own
  std::optional<double> host_memory_bytes;   // smallest "memory" property of the hosts, such as "64GiB"
};

// Throws InputError (unknown family or file with the nearest name, bad numbers, XML that is malformed or that SimGrid
// refuses: file, line, reason) before anything of the engine is changed: SimGrid aborts on some wrong files, so a child
// process reads a file first. The platform comes back sealed.
LoadedPlatform load_platform(simgrid::s4u::Engine& engine, const std::string& name);

// What a platform has, without an engine in this process (a child process looks): for checks before a long run. Errors
// as above. Not after a platform has been loaded in this process, of which the child would be a copy.
struct PlatformSummary {
  std::string description;
  std::int64_t hosts = 0;
};
PlatformSummary summarise_platform(const std::string& name);

// The file that a name means; none for a word. InputError when there is no such file.
std::optional<std::filesystem::path> platform_file(const std::string& name);

}  // namespace simtrain
