#include "sim/platform/platform.hpp"

#include <algorithm>
#include <filesystem>
#include <simgrid/s4u.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "sim/platform/fabric_zone.hpp"
#include "sim/platform/spec.hpp"
#include "sim/platform/xml.hpp"

namespace simtrain {

namespace {

namespace s4u = simgrid::s4u;

// Compute is charged in seconds, so the speed only has to be the same everywhere, and exact in binary.
constexpr double kFlopsPerSecond = 0x1p30;
// The profile says how fast a rank computes; ranks that share a host of a one-word platform do not slow each other
// down.
constexpr int kCoresPerHost = 1024;

// A file of that name wins: "a:b" can be one.
bool is_specification(const std::string& name) {
  std::error_code none;
  return is_platform_spec(name) && !std::filesystem::exists(name, none);
}

std::filesystem::path platform_file(const std::string& name) {
  return find_data_file("platform", "platforms", name, ".xml");
}

LoadedPlatform build(s4u::Engine& engine, const std::string& name) {
  const PlatformSpec spec = parse_platform_spec(name);
  LoadedPlatform platform{name, spec.description(), {}, {}, {}, std::nullopt};
  if (spec.memory_bytes) platform.host_memory_bytes = static_cast<double>(*spec.memory_bytes);
  platform.topology = make_topology(spec);
  Fabric fabric = add_fabric(engine, platform.topology,
                             {kFlopsPerSecond, kCoresPerHost, kLoopbackBandwidth_Bps, kLoopbackLatency_s},
                             [&spec](s4u::Host& host) {
                               if (spec.family == PlatformFamily::node) host.set_property("node", "node-0");
                               if (spec.memory_bytes)
                                 host.set_property("memory", std::to_string(*spec.memory_bytes) + "B");
                             });
  platform.hosts = std::move(fabric.hosts);
  platform.links = std::move(fabric.links);
  return platform;
}

}  // namespace

LoadedPlatform load_platform(simgrid::s4u::Engine& engine, const std::string& name) {
  if (is_specification(name)) return build(engine, name);
  const std::filesystem::path path = platform_file(name);
  check_platform_xml(path);
  return load_platform_xml(engine, name, path);
}

PlatformSummary summarise_platform(const std::string& name) {
  if (!is_specification(name)) return check_platform_xml(platform_file(name));
  const PlatformSpec spec = parse_platform_spec(name);
  return {spec.description(), spec.hosts()};
}

}  // namespace simtrain
