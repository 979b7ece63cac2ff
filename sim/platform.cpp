#include "sim/platform.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "sim/compat.hpp"
#include "sim/platform_spec.hpp"
#include "sim/platform_xml.hpp"

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

s4u::Host* add_host(s4u::NetZone* zone, unsigned long number, const PlatformSpec& spec) {
  s4u::Host* host = compat::add_host(zone, "host-" + std::to_string(number), kFlopsPerSecond);
  host->set_core_count(kCoresPerHost);
  if (spec.family == PlatformFamily::node) host->set_property("node", "node-0");
  if (spec.memory_bytes) host->set_property("memory", std::to_string(*spec.memory_bytes) + "B");
  return host;
}

s4u::Link* add_loopback_link(s4u::NetZone* zone, unsigned long number) {
  s4u::Link* link = compat::add_link(zone, "loopback-" + std::to_string(number), kLoopbackBandwidth_Bps);
  return link->set_latency(kLoopbackLatency_s)->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
}

using Hosts = std::vector<s4u::Host*>;

// The hosts in creation order are collected in `hosts`, which outlives the zone's construction.
compat::HostFactory factory(const PlatformSpec& spec, Hosts& hosts) {
  return {[&spec, &hosts](s4u::NetZone* zone, unsigned long number) {
            hosts.push_back(add_host(zone, number, spec));
            hosts.back()->seal();
            return hosts.back();
          },
          [](s4u::NetZone* zone, unsigned long number) {
            s4u::Link* link = add_loopback_link(zone, number);
            link->seal();
            return link;
          }};
}

void build_torus(s4u::Engine& engine, const PlatformSpec& spec, Hosts& hosts) {
  const std::vector<unsigned long> dimensions(spec.shape.begin(), spec.shape.end());
  compat::add_torus_zone(engine, "torus", dimensions, {spec.bandwidth_Bps, spec.latency_s}, factory(spec, hosts))
      ->seal();
}

void build_fat_tree(s4u::Engine& engine, const PlatformSpec& spec, Hosts& hosts) {
  compat::FatTreeShape shape;
  shape.down.assign(spec.shape.begin(), spec.shape.end());
  shape.up.assign(1, 1);  // a host has one cable, to its leaf switch
  shape.up.insert(shape.up.end(), spec.uplinks.begin(), spec.uplinks.end());
  shape.cables.assign(shape.down.size(), 1);
  compat::add_fat_tree_zone(engine, "fat-tree", shape, {spec.bandwidth_Bps, spec.latency_s}, factory(spec, hosts))
      ->seal();
}

// Ethernet, crossbar, node: hosts around one switch.
void build_star(s4u::Engine& engine, const PlatformSpec& spec, Hosts& hosts) {
  // A route crosses two links: half of the crossbar's latency on each adds up to exactly the whole.
  const double latency_s = spec.family == PlatformFamily::ethernet ? spec.latency_s : spec.latency_s / 2;
  s4u::NetZone* zone = compat::add_star_zone(engine, "switch");
  s4u::Link* backbone = spec.backbone_Bps ? compat::add_link(zone, "backbone", *spec.backbone_Bps) : nullptr;
  for (unsigned long number = 0; std::cmp_less(number, spec.hosts()); ++number) {
    hosts.push_back(add_host(zone, number, spec));
    s4u::Link* link = compat::add_full_duplex_link(zone, "link-" + std::to_string(number), spec.bandwidth_Bps);
    link->set_latency(latency_s);
    std::vector<s4u::LinkInRoute> spoke{{link, s4u::LinkInRoute::Direction::UP}};
    if (backbone != nullptr) spoke.emplace_back(backbone);
    compat::add_spoke(zone, hosts.back(), spoke);
    compat::add_loopback(zone, hosts.back(), add_loopback_link(zone, number));
  }
  zone->seal();  // also seals the links; by hand, tracing of 3.32 goes wrong
}

LoadedPlatform build(s4u::Engine& engine, const std::string& name) {
  const PlatformSpec spec = parse_platform_spec(name);
  LoadedPlatform platform{name, spec.description(), {}, std::nullopt};
  if (spec.memory_bytes) platform.host_memory_bytes = static_cast<double>(*spec.memory_bytes);
  platform.hosts.reserve(static_cast<std::size_t>(spec.hosts()));
  if (spec.family == PlatformFamily::torus)
    build_torus(engine, spec, platform.hosts);
  else if (spec.family == PlatformFamily::fat_tree)
    build_fat_tree(engine, spec, platform.hosts);
  else
    build_star(engine, spec, platform.hosts);
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
