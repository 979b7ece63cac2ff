#include <array>
#include <cmath>

#include "base/units.hpp"
#include "report/json_value.hpp"
#include "report/page.hpp"
#include "report/passport_json.hpp"
#include "sim/platform/describe.hpp"

namespace simtrain {

namespace {

constexpr std::array<const char*, 3> kDistances{"nearest", "middle", "farthest"};
// What a message takes to simulate (docs/performance.md).
constexpr double kLeastMessage_s = 10e-6, kMostMessage_s = 40e-6;

std::string count_text(std::int64_t count) { return format_count(static_cast<double>(count)); }

std::string one_decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

void host_section(Page& page, const PlatformDescription& platform) {
  page.heading("Hosts");
  page.fact("hosts", count_text(platform.hosts));
  page.fact("cores", platform.cores ? std::to_string(*platform.cores) + " a host"
                                    : "no limit: ranks of a host do not slow each other down");
  page.fact("memory", platform.memory_bytes ? format_bytes(*platform.memory_bytes) + " a host" : "not given");
  page.fact("inside", platform.inside ? format_bandwidth(platform.inside->bandwidth_Bps) + ", " +
                                            format_seconds(platform.inside->latency_s) + " between two ranks of a host"
                                      : "a host holds one rank: no link inside is given");
}

void link_section(Page& page, const PlatformDescription& platform) {
  page.heading("Links (each direction of a cable is one)");
  Table table({{"class", Table::Align::left}, {"links"}, {"bandwidth"}, {"latency"}, {"in all"}});
  for (const LinkGroup& links : platform.links)
    table.row({links.name.empty() ? (links.shared ? "shared" : "not shared") : links.name, count_text(links.count),
               format_bandwidth(links.figures.bandwidth_Bps), format_seconds(links.figures.latency_s),
               format_bandwidth(links.figures.bandwidth_Bps * static_cast<double>(links.count))});
  page.table(table);
  page.fact("switches", platform.switches ? count_text(*platform.switches) : "not known: routes are SimGrid's own");
}

void route_section(Page& page, const PlatformDescription& platform) {
  const RouteSurvey& routes = platform.routes;
  if (routes.samples.empty()) return;
  page.heading("Routes between two hosts");
  const std::string at_least = platform.all_routes ? "" : "at least ";
  page.fact("diameter", at_least + std::to_string(routes.most_links) + " links, " + at_least +
                            format_seconds(routes.most_latency_s));
  page.fact("mean", one_decimal(routes.mean_links) + " links, " + format_seconds(routes.mean_latency_s));
  if (!platform.all_routes) page.sentence("Of routes from " + std::to_string(kSampledHosts) + " hosts to all others.");
  Table table({{"", Table::Align::left}, {"from and to", Table::Align::left}, {"links"}, {"latency"}, {"bandwidth"}});
  for (std::size_t i = 0; i < routes.samples.size(); ++i)
    table.row({kDistances[i], platform.sample_names[i], std::to_string(routes.samples[i].route.links),
               format_seconds(routes.samples[i].route.latency_s),
               format_bandwidth(routes.samples[i].route.bandwidth_Bps)});
  page.table(table);
}

void bisection_section(Page& page, const PlatformDescription& platform) {
  page.heading("Bisection (what half of the hosts can send to the other half)");
  if (!platform.bisection) {
    page.sentence("Not known: routes are SimGrid's own.");
    return;
  }
  if (platform.hosts < 2) {
    page.sentence("One host has no other half.");
    return;
  }
  const Bisection& bisection = *platform.bisection;
  page.fact("one way",
            format_bandwidth(bisection.one_way_Bps) + ", " +
                format_bandwidth(bisection.one_way_Bps / std::floor(static_cast<double>(platform.hosts) / 2)) +
                " a host");
  page.fact("both ways", format_bandwidth(bisection.both_ways_Bps));
}

// Of an all-reduce over all hosts by Rabenseifner's algorithm, of any size.
double messages_over_all(const PlatformDescription& platform) {
  const auto ranks = static_cast<double>(platform.hosts);
  return ranks * 2 * std::ceil(std::log2(std::max(ranks, 2.0)));
}

void simulation_section(Page& page, const PlatformDescription& platform) {
  const double messages = messages_over_all(platform);
  page.heading("To simulate it (rough, with one rank on each host; docs/performance.md)");
  page.fact("memory", "about " + format_bytes(platform.simulation_bytes()));
  page.fact("time", "10 to 40 µs for every message: " + format_seconds(messages * kLeastMessage_s) + " to " +
                        format_seconds(messages * kMostMessage_s) +
                        " for an all-reduce over all by Rabenseifner's algorithm (" + format_count(messages) +
                        " messages)");
}

nlohmann::ordered_json samples_json(const PlatformDescription& platform) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < platform.routes.samples.size(); ++i) {
    const RouteFigures& route = platform.routes.samples[i].route;
    all.push_back({{"distance", kDistances[i]},
                   {"hosts", platform.sample_names[i]},
                   {"links", route.links},
                   {"latency_s", finite("latency_s", route.latency_s)},
                   {"bandwidth_Bps", finite("bandwidth_Bps", route.bandwidth_Bps)}});
  }
  return all;
}

nlohmann::ordered_json links_json(const PlatformDescription& platform) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const LinkGroup& links : platform.links)
    all.push_back({{"class", links.name.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(links.name)},
                   {"count", links.count},
                   {"bandwidth_Bps", finite("bandwidth_Bps", links.figures.bandwidth_Bps)},
                   {"latency_s", finite("latency_s", links.figures.latency_s)},
                   {"shared", links.shared}});
  return all;
}

template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string to_text(const PlatformDescription& platform) {
  Page page;
  page.heading(std::string("simtrain ") + SIMTRAIN_VERSION + ": platform " + printable(platform.name));
  page.sentence(printable(platform.description));
  host_section(page, platform);
  link_section(page, platform);
  route_section(page, platform);
  bisection_section(page, platform);
  simulation_section(page, platform);
  return page.text();
}

std::string to_json(const PlatformDescription& platform) {
  nlohmann::ordered_json inside = nullptr, bisection = nullptr;
  if (platform.inside)
    inside = {{"bandwidth_Bps", finite("bandwidth_Bps", platform.inside->bandwidth_Bps)},
              {"latency_s", finite("latency_s", platform.inside->latency_s)}};
  if (platform.bisection)
    bisection = {{"one_way_Bps", finite("one_way_Bps", platform.bisection->one_way_Bps)},
                 {"both_ways_Bps", finite("both_ways_Bps", platform.bisection->both_ways_Bps)}};
  const RouteSurvey& routes = platform.routes;
  nlohmann::ordered_json value = {{"schema", "simtrain-platform"},
                                  {"schema_version", 2},
                                  {"version", SIMTRAIN_VERSION},
                                  {"name", platform.name},
                                  {"description", platform.description},
                                  {"hosts", platform.hosts},
                                  {"switches", or_null(platform.switches)},
                                  {"cores", or_null(platform.cores)},
                                  {"memory_bytes", or_null(platform.memory_bytes)},
                                  {"inside", inside},
                                  {"links", links_json(platform)},
                                  {"routes",
                                   {{"complete", platform.all_routes},
                                    {"most_links", routes.most_links},
                                    {"fewest_links", routes.fewest_links},
                                    {"mean_links", finite("mean_links", routes.mean_links)},
                                    {"most_latency_s", finite("most_latency_s", routes.most_latency_s)},
                                    {"mean_latency_s", finite("mean_latency_s", routes.mean_latency_s)},
                                    {"samples", samples_json(platform)}}},
                                  {"bisection", bisection},
                                  {"simulation",
                                   {{"memory_bytes", finite("memory_bytes", platform.simulation_bytes())},
                                    {"all_reduce_messages", messages_over_all(platform)},
                                    {"all_reduce_least_s", messages_over_all(platform) * kLeastMessage_s},
                                    {"all_reduce_most_s", messages_over_all(platform) * kMostMessage_s}}}};
  add_passport(platform.passport, value);
  return json_text(value);
}

}  // namespace simtrain
