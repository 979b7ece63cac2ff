#include "sim/platform/survey.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace simtrain {

namespace {

using RouteFinder = std::function<RouteFigures(std::int32_t from, std::int32_t to)>;

std::vector<RouteSample> sample(std::int32_t hosts, const RouteFinder& route) {
  std::vector<RouteSample> all;
  for (std::int32_t to = 1; to < hosts; ++to) all.push_back({0, to, route(0, to)});
  if (all.empty()) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.route.latency_s < b.route.latency_s; });
  return {all.front(), all[all.size() / 2], all.back()};
}

}  // namespace

RouteSurvey survey_routes(std::int32_t hosts, const std::vector<std::int32_t>& sources, const RouteFinder& route) {
  RouteSurvey survey;
  double links = 0, latency_s = 0;
  survey.fewest_links = std::numeric_limits<std::int64_t>::max();
  for (const std::int32_t from : sources)
    for (std::int32_t to = 0; to < hosts; ++to) {
      if (from == to) continue;
      const RouteFigures one = route(from, to);
      survey.most_links = std::max(survey.most_links, one.links);
      survey.fewest_links = std::min(survey.fewest_links, one.links);
      survey.most_latency_s = std::max(survey.most_latency_s, one.latency_s);
      links += static_cast<double>(one.links);
      latency_s += one.latency_s;
    }
  const double routes = static_cast<double>(sources.size()) * (hosts - 1);
  if (routes == 0) return {};
  survey.mean_links = links / routes;
  survey.mean_latency_s = latency_s / routes;
  survey.samples = sample(hosts, route);
  return survey;
}

RouteSurvey survey_routes(const Topology& topology) {
  std::vector<std::int32_t> links;
  return survey_routes(topology.hosts(), topology.representatives(), [&](std::int32_t from, std::int32_t to) {
    links.clear();
    topology.route(from, to, links);
    RouteFigures figures{static_cast<std::int64_t>(links.size()), 0, std::numeric_limits<double>::infinity()};
    for (const std::int32_t link : links) {
      const LinkClass& its = topology.class_of(link);
      figures.latency_s += its.latency_s;
      figures.bandwidth_Bps = std::min(figures.bandwidth_Bps, its.bandwidth_Bps);
    }
    return figures;
  });
}

}  // namespace simtrain
