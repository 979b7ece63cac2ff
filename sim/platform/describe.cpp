#include "sim/platform/describe.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <simgrid/s4u.hpp>
#include <tuple>

#include "base/error.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/footprint.hpp"
#include "sim/platform/picture.hpp"

namespace simtrain {

namespace {

namespace s4u = simgrid::s4u;

RouteFigures route_between(const s4u::Host* from, const s4u::Host* to) {
  std::vector<s4u::Link*> links;
  from->route_to(to, links, nullptr);
  RouteFigures figures{static_cast<std::int64_t>(links.size()), 0, std::numeric_limits<double>::infinity()};
  for (const s4u::Link* link : links) {
    figures.latency_s += link->get_latency();
    figures.bandwidth_Bps = std::min(figures.bandwidth_Bps, link->get_bandwidth());
  }
  return figures;
}

std::vector<LinkGroup> classes_of(const Topology& topology) {
  std::vector<LinkGroup> groups;
  for (const LinkClass& its : topology.classes())
    groups.push_back({its.name, its.count, {its.bandwidth_Bps, its.latency_s}});
  return groups;
}

// By falling bandwidth, then latency.
std::vector<LinkGroup> groups_of(const LoadedPlatform& platform) {
  std::map<std::tuple<double, double, bool>, std::int64_t> counts;
  for (const s4u::Link* link : platform.links)
    ++counts[{-link->get_bandwidth(), link->get_latency(),
              link->get_sharing_policy() != s4u::Link::SharingPolicy::FATPIPE}];
  std::vector<LinkGroup> groups;
  for (const auto& [figures, count] : counts)
    groups.push_back({"", count, {-std::get<0>(figures), std::get<1>(figures)}, std::get<2>(figures)});
  return groups;
}

void survey_simgrid_routes(const LoadedPlatform& platform, PlatformDescription& description) {
  const auto hosts = static_cast<std::int32_t>(platform.hosts.size());
  description.all_routes = hosts <= kMostHostsSurveyed;
  const std::int32_t number = description.all_routes ? hosts : kSampledHosts;
  std::vector<std::int32_t> sources;
  for (std::int32_t i = 0; i < number; ++i)
    sources.push_back(static_cast<std::int32_t>(std::int64_t{i} * hosts / number));
  description.routes = survey_routes(hosts, sources, [&](std::int32_t from, std::int32_t to) {
    return route_between(platform.hosts[static_cast<std::size_t>(from)], platform.hosts[static_cast<std::size_t>(to)]);
  });
}

}  // namespace

double PlatformDescription::simulation_bytes() const { return simulated_bytes(hosts); }

Described describe_platform(const std::string& name, bool svg) {
  const std::unique_ptr<s4u::Engine> engine = start_engine();
  const LoadedPlatform platform = load_platform(*engine, name);
  Described described;
  PlatformDescription& description = described.platform;
  description.name = name;
  description.description = platform.description;
  description.hosts = static_cast<std::int64_t>(platform.hosts.size());
  if (const int cores = platform.hosts.front()->get_core_count(); cores < kUnlimitedCores) description.cores = cores;
  description.memory_bytes = platform.host_memory_bytes;
  if (const RouteFigures inside = route_between(platform.hosts.front(), platform.hosts.front()); inside.links > 0)
    description.inside = inside;
  if (platform.topology) {
    description.switches = platform.topology->vertices() - platform.topology->hosts();
    description.links = classes_of(*platform.topology);
    description.routes = survey_routes(*platform.topology);
    description.bisection = bisection(*platform.topology);
  } else {
    description.links = groups_of(platform);
    survey_simgrid_routes(platform, description);
  }
  for (const RouteSample& sample : description.routes.samples)
    description.sample_names.push_back(platform.hosts[static_cast<std::size_t>(sample.from)]->get_name() + " to " +
                                       platform.hosts[static_cast<std::size_t>(sample.to)]->get_name());
  if (svg && !platform.topology)
    throw InputError("platform '" + name +
                     "': its routes are SimGrid's own, so that its switches are not known and cannot be drawn; "
                     "expected one word, or a file with one cluster");
  if (svg) described.svg = to_svg(*platform.topology, name);
  return described;
}

}  // namespace simtrain
