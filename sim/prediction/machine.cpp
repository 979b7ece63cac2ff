#include "sim/prediction/machine.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <simgrid/s4u.hpp>

namespace simtrain {

namespace {

std::string host_name(const Simulation& simulation, int host) {
  return simulation.platform().hosts[static_cast<std::size_t>(host)]->get_name();
}

}  // namespace

HostSpace host_space(const Simulation& simulation, bool nearness) {
  const LoadedPlatform& platform = simulation.platform();
  const int hosts = static_cast<int>(platform.hosts.size());
  HostSpace space{platform.name, {}, {}, {}, {}};
  for (int host = 0; host < hosts; ++host) space.names.push_back(host_name(simulation, host));
  if (!nearness) return space;
  const RouteLength length = [&](int from, int to) {
    return static_cast<int>(simulation.route(from, to).links.size());
  };
  space.torus = find_torus(hosts, length);
  if (space.torus.empty()) space.groups = find_groups(hosts, length);
  return space;
}

SlowParts find_slow_parts(const Simulation& simulation, const SlowPartsOptions& options) {
  const LoadedPlatform& platform = simulation.platform();
  return find_slow_parts(
      options,
      {platform.name, static_cast<int>(platform.hosts.size()), static_cast<int>(platform.links.size()),
       [&](int host) { return host_name(simulation, host); }, [&](int link) { return simulation.name_of_link(link); }});
}

void leave_out(const SlowParts& slow, HostSpace& space) {
  space.left_out.assign(space.names.size(), 0);
  for (const auto& [host, factor] : slow.hosts) space.left_out[static_cast<std::size_t>(host)] = 1;
}

double slowness(const SlowParts& slow, int host) {
  const auto found = slow.hosts.find(host);
  return found == slow.hosts.end() ? 1 : 1 / found->second;
}

bool is_uniform(const Simulation& simulation, const SlowParts& slow, const std::vector<int>& host_of_rank) {
  std::map<int, int> ranks;
  for (const int host : host_of_rank) ++ranks[host];
  std::set<double> seconds;  // that a second's work takes
  for (const auto& [host, on_it] : ranks)
    seconds.insert(slowness(slow, host) * std::max(1.0, static_cast<double>(on_it) / simulation.cores_of(host)));
  return seconds.size() <= 1 && slow.links.empty();
}

SlowPartsResult describe_slow_parts(const Simulation& simulation, const SlowPartsOptions& options,
                                    const SlowParts& slow, const std::vector<int>& host_of_rank) {
  SlowPartsResult result;
  result.description = options.description();
  result.slow_hosts = static_cast<std::int64_t>(slow.hosts.size());
  result.degraded_links = static_cast<std::int64_t>(slow.links.size());
  const std::set<int> used(host_of_rank.begin(), host_of_rank.end());
  for (const auto& [host, factor] : slow.hosts) {
    if (used.contains(host)) ++result.slow_hosts_used;
    if (result.hosts.size() < kMostListedParts) result.hosts.push_back({host_name(simulation, host), factor});
  }
  for (const auto& [link, factor] : slow.links)
    if (result.links.size() < kMostListedParts) result.links.push_back({simulation.name_of_link(link), factor});
  return result;
}

}  // namespace simtrain
