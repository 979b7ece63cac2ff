// Platforms: a SimGrid XML file, or one word such as "torus:16x16x16,bandwidth=6GBps,latency=1us".
//
// Families (one word): torus:AxB[xC...], fat-tree:..., ethernet:N, crossbar:N, node:N. sim/platform/spec.hpp has the
// grammar. Hosts with the same property "node" are cores of one node.
// Hosts are ordered as their topology numbers them: creation order for one-word platforms, natural order of names
// (node-2 before node-10) for XML, since SimGrid itself sorts names as text.
#pragma once

#include <cstdint>
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

struct LoadedPlatform {
  std::string name;         // as the user gave it
  std::string description;  // "3-D torus 8x8x4" (from the specification, or the XML file's "description" property)
  std::vector<simgrid::s4u::Host*> hosts;
  std::vector<simgrid::s4u::Link*> links;    // without loopbacks; numbered as in the topology, if there is one
  std::shared_ptr<const Topology> topology;  // one-word platforms; null for XML, whose routes are SimGrid's own
  std::optional<double> host_memory_bytes;   // smallest "memory" property of the hosts, such as "64GiB"
};

// Throws InputError (unknown family or file with the nearest name, bad numbers, XML that is malformed or that SimGrid
// refuses: file, line, reason) before anything of the engine is changed: SimGrid aborts on some wrong files, so a child
// process reads a file first. The platform comes back sealed. Hosts of one-word platforms have a loopback link and more
// cores than anyone has ranks; those of a file have what the file says.
LoadedPlatform load_platform(simgrid::s4u::Engine& engine, const std::string& name);

// What a platform has, without an engine in this process (a child process looks): for checks before a long run. Errors
// as above. Not after a platform has been loaded in this process, of which the child would be a copy.
struct PlatformSummary {
  std::string description;
  std::int64_t hosts = 0;
};
PlatformSummary summarise_platform(const std::string& name);

}  // namespace simtrain
