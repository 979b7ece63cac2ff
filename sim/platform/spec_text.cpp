// What a specification looks like to people.
#include <cstdio>

#include "base/units.hpp"
#include "sim/platform/shape_checks.hpp"

namespace simtrain {

namespace {

using enum PlatformFamily;

std::string figures(const LinkFigures& link) {
  return format_bandwidth(link.bandwidth_Bps) + " and " + format_seconds(link.latency_s);
}

bool alike(const LinkFigures& a, const LinkFigures& b) {
  return a.bandwidth_Bps == b.bandwidth_Bps && a.latency_s == b.latency_s;
}

// "3.20:1", what the hosts of a leaf can send over what its uplinks carry.
std::string subscription(const PlatformSpec& spec) {
  const double ratio = spec.downlinks()[0] * spec.bandwidth_Bps /
                       (spec.uplinks[0] * spec.cables[0] * spec.between_switches.bandwidth_Bps);
  char text[32];
  std::snprintf(text, sizeof text, "%.3g:1", ratio);
  return ratio > 1 + 1e-9 ? text + std::string(" over-subscribed") : "not over-subscribed";
}

std::string tree(const PlatformSpec& spec, const LinkFigures& host) {
  std::string text = "fat tree " + joined(spec.shape);
  if (!spec.uplinks.empty()) text += " with uplinks " + joined(spec.uplinks);
  for (const int cables : spec.cables)
    if (cables > 1) {
      text += " of " + joined(spec.cables) + " cables";
      break;
    }
  text += ", links of " + figures(host);
  if (!alike(host, spec.between_switches)) text += ", between switches of " + figures(spec.between_switches);
  return text;
}

std::string group_text(const PlatformSpec& spec, const LinkFigures& host) {
  std::string text = "dragonfly of " + std::to_string(spec.shape[0]) + " groups of " + std::to_string(spec.shape[1]) +
                     " routers with " + std::to_string(spec.shape[2]) + " hosts each, links of " + figures(host);
  if (!alike(host, spec.between_switches)) text += ", in groups of " + figures(spec.between_switches);
  const std::int64_t cables = spec.global_cables();
  if (cables > 0)
    text += ", between every two groups " + std::to_string(cables) + (cables == 1 ? " cable of " : " cables of ") +
            figures(spec.between_groups);
  return text;
}

std::string network(const PlatformSpec& spec) {
  const LinkFigures host{spec.bandwidth_Bps, spec.latency_s};
  const std::string links = " of " + figures(host), hosts_text = std::to_string(spec.hosts()) + " hosts";
  switch (spec.family) {
    case torus:
      return std::to_string(spec.shape.size()) + "-D torus " + joined(spec.shape) + ", links" + links;
    case fat_tree:
      return tree(spec, host);
    case leaf_spine:
      return "leaf-spine of " + std::to_string(spec.shape[0]) + " leaves with " + std::to_string(spec.shape[1]) +
             " hosts each and " + std::to_string(spec.uplinks[0]) + " spines, host links" + links + ", " +
             (spec.cables[0] == 1 ? "" : std::to_string(spec.cables[0]) + " cables each, ") + "uplinks of " +
             figures(spec.between_switches) + ", " + subscription(spec);
    case dragonfly:
      return group_text(spec, host);
    case ethernet:
      return "Ethernet switch with " + hosts_text + ", links" + links +
             (spec.backbone_Bps ? ", backbone of " + format_bandwidth(*spec.backbone_Bps) : "");
    case crossbar:
      return "crossbar with " + hosts_text + ", routes" + links;
    case node:
      return "node with " + std::to_string(spec.hosts()) + " cores, routes" + links;
  }
  return {};
}

}  // namespace

std::string PlatformSpec::description() const {
  std::string text = network(*this);
  if (inside.cores)
    text += ", " + std::to_string(*inside.cores) + (*inside.cores == 1 ? " core" : " cores") + " a host";
  if (inside.total_Bps || !alike(inside.link, HostInside{}.link)) text += ", inside of " + figures(inside.link);
  if (inside.total_Bps) text += ", " + format_bandwidth(*inside.total_Bps) + " in all";
  return text;
}

}  // namespace simtrain
