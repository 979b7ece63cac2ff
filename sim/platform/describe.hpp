// What a platform is, for people and programs, before anything is simulated on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/passport.hpp"
#include "sim/platform/bisection.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/survey.hpp"

namespace simtrain {

// Links that are alike: a class of a topology; of other platforms, links with the same figures.
struct LinkGroup {
  std::string name;  // "" for other platforms
  std::int64_t count = 0;
  LinkFigures figures;
  bool shared = true;  // false: every message gets all of it
};

struct PlatformDescription {
  std::string name, description;  // as in LoadedPlatform
  std::int64_t hosts = 0;
  std::optional<std::int64_t> switches;  // none: SimGrid's own routes do not tell
  std::optional<int> cores;              // of a host; none: no limit
  std::optional<double> memory_bytes;    // of a host; none: unknown
  std::optional<RouteFigures> inside;    // a route from a host to itself; none: a host holds one rank
  std::vector<LinkGroup> links;          // inside of hosts left out
  RouteSurvey routes;
  bool all_routes = true;                 // false: the survey's routes are from kSampledHosts hosts only
  std::optional<Bisection> bisection;     // none: the platform has no topology of ours
  std::vector<std::string> sample_names;  // of routes.samples: "host-0 to host-1"
  std::optional<Passport> passport = {};

  // One rank on each host: a rough measure, from docs/performance.md.
  [[nodiscard]] double simulation_bytes() const;
};

// Platforms with SimGrid's own routes: of more hosts than kMostHostsSurveyed, routes are looked at from some only.
inline constexpr std::int32_t kMostHostsSurveyed = 512, kSampledHosts = 16;

// InputError as load_platform(). Starts SimGrid: once in a process, and no Simulation after it. `svg`: also a picture,
// InputError for a platform without a topology of ours or one that is too large, Failure without Graphviz.
struct Described {
  PlatformDescription platform;
  std::string svg;
};
Described describe_platform(const std::string& name, bool svg);

std::string to_text(const PlatformDescription& description);
std::string to_json(const PlatformDescription& description);  // schema: docs/platform.schema.json

}  // namespace simtrain
