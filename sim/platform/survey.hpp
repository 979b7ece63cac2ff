// How long the routes of a network are.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/platform/topology.hpp"

namespace simtrain {

struct RouteFigures {
  std::int64_t links = 0;
  double latency_s = 0;
  double bandwidth_Bps = 0;  // of the narrowest link
};

// A route between two hosts, by their numbers.
struct RouteSample {
  std::int32_t from = 0, to = 0;
  RouteFigures route;
};

struct RouteSurvey {
  std::int64_t most_links = 0, fewest_links = 0;  // of routes between two hosts; 0 with one host
  double most_latency_s = 0;
  double mean_links = 0, mean_latency_s = 0;
  // From host 0: to a host that is nearest by latency, one in the middle of all others, and one of the farthest. Empty
  // with one host.
  std::vector<RouteSample> samples;
};

// Of the routes from each of `sources` to all other hosts.
RouteSurvey survey_routes(std::int32_t hosts, const std::vector<std::int32_t>& sources,
                          const std::function<RouteFigures(std::int32_t from, std::int32_t to)>& route);

// Of all routes of a topology.
RouteSurvey survey_routes(const Topology& topology);

}  // namespace simtrain
