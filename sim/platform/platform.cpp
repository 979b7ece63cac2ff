#include "sim/platform/platform.hpp"

#include <algorithm>
#include <filesystem>
#include <simgrid/s4u.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "sim/platform/fabric_zone.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/spec.hpp"
#include "sim/platform/xml.hpp"
#include "sim/platform/xml_cluster.hpp"

namespace simtrain {

namespace {

namespace s4u = simgrid::s4u;

// Compute is charged in seconds, so the speed only has to be the same everywhere, and exact in binary.
constexpr double kFlopsPerSecond = 0x1p30;

// What a name means: a specification, or the path of a file in XML.
struct Source {
  std::optional<PlatformSpec> spec;
  std::filesystem::path xml;
};

Source find(const std::string& name) {
  const std::optional<std::filesystem::path> path = platform_file(name);
  if (!path) return {parse_platform_spec(name), {}};
  if (path->extension() == kPlatformFileExtension) return {read_platform_file(*path), {}};
  return {std::nullopt, *path};
}

FabricHosts hosts_of(const PlatformSpec& spec) {
  FabricHosts hosts;
  hosts.flops_per_s = kFlopsPerSecond;
  hosts.cores = spec.inside.cores.value_or(kUnlimitedCores);
  hosts.inside = spec.inside.link;
  hosts.inside_total_Bps = spec.inside.total_Bps;
  if (spec.family == PlatformFamily::node) hosts.properties["node"] = "node-0";
  if (spec.memory_bytes) hosts.properties["memory"] = std::to_string(*spec.memory_bytes) + "B";
  return hosts;
}

LoadedPlatform build(s4u::Engine& engine, const std::string& name, const PlatformSpec& spec, const FabricHosts& hosts,
                     const std::string& description) {
  LoadedPlatform platform{name, description, {}, {}, {}, std::nullopt};
  if (spec.memory_bytes) platform.host_memory_bytes = static_cast<double>(*spec.memory_bytes);
  platform.topology = make_topology(spec);
  Fabric fabric = add_fabric(engine, platform.topology, hosts);
  platform.hosts = std::move(fabric.hosts);
  platform.links = std::move(fabric.links);
  return platform;
}

}  // namespace

std::optional<std::filesystem::path> platform_file(const std::string& name) {
  std::error_code none;
  if (is_platform_spec(name) && !std::filesystem::exists(name, none)) return std::nullopt;
  return find_data_file("platform", "platforms", name, {".xml", kPlatformFileExtension});
}

LoadedPlatform load_platform(simgrid::s4u::Engine& engine, const std::string& name) {
  const Source source = find(name);
  if (source.spec) return build(engine, name, *source.spec, hosts_of(*source.spec), source.spec->description());
  check_platform_xml(source.xml);
  const std::string file = source.xml.string();
  if (const auto cluster = read_xml_cluster(file, read_file("platform", source.xml)))
    return build(engine, name, cluster->spec, cluster->hosts, cluster->description);
  return load_platform_xml(engine, name, source.xml);
}

PlatformSummary summarise_platform(const std::string& name) {
  const Source source = find(name);
  if (!source.spec) return check_platform_xml(source.xml);
  return {source.spec->description(), source.spec->hosts()};
}

}  // namespace simtrain
