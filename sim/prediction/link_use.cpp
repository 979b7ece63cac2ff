#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <simgrid/s4u.hpp>

#include "sim/platform/topology.hpp"
#include "sim/prediction/facts.hpp"

namespace simtrain {

namespace {

// "node-12_link_UP" -> "node-*_link_UP"
std::string without_numbers(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit)
      text += c;
    else if (text.empty() || text.back() != '*')
      text += '*';
  }
  return text;
}

// The class of each link: those of a topology, else by name, in the order of the first link of each.
struct Classes {
  std::vector<LinkClassResult> all;
  std::vector<std::size_t> of_link;
};

Classes classify(const LoadedPlatform& platform) {
  Classes classes;
  classes.of_link.resize(platform.links.size());
  if (platform.topology != nullptr) {
    for (const LinkClass& one : platform.topology->classes()) {
      std::fill_n(classes.of_link.begin() + one.first, one.count, classes.all.size());
      classes.all.push_back({one.name, one.count, 0, 0, 0});
    }
    return classes;
  }
  std::map<std::string, std::size_t> known;
  for (std::size_t link = 0; link < platform.links.size(); ++link) {
    const std::string name = without_numbers(platform.links[link]->get_name());
    const auto [entry, added] = known.emplace(name, classes.all.size());
    if (added) classes.all.push_back({name, 0, 0, 0, 0});
    classes.of_link[link] = entry->second;
    ++classes.all[entry->second].count;
  }
  return classes;
}

}  // namespace

LinksResult describe_links(const Simulation& simulation, int iterations, double iteration_s) {
  const LoadedPlatform& platform = simulation.platform();
  Classes classes = classify(platform);
  std::vector<double> bytes(platform.links.size()), utilisation(platform.links.size());
  std::vector<int> used;
  for (std::size_t link = 0; link < bytes.size(); ++link) {
    LinkClassResult& its = classes.all[classes.of_link[link]];
    bytes[link] = simulation.carried_bytes()[link] / iterations;
    if (bytes[link] <= 0) continue;
    used.push_back(static_cast<int>(link));
    if (iteration_s > 0) utilisation[link] = bytes[link] / (platform.links[link]->get_bandwidth() * iteration_s);
    its.bytes += bytes[link];
    its.mean_utilisation += utilisation[link] / static_cast<double>(its.count);
    its.max_utilisation = std::max(its.max_utilisation, utilisation[link]);
  }
  LinksResult result;
  result.used = static_cast<std::int64_t>(used.size());
  result.classes = std::move(classes.all);
  const auto listed = std::min(used.size(), kMostListedLinks);
  std::partial_sort(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(listed), used.end(), [&](int a, int b) {
    const double x = utilisation[static_cast<std::size_t>(a)], y = utilisation[static_cast<std::size_t>(b)];
    return x != y ? x > y : a < b;
  });
  for (std::size_t i = 0; i < listed; ++i) {
    const auto link = static_cast<std::size_t>(used[i]);
    result.busiest.push_back({simulation.name_of_link(used[i]), bytes[link], utilisation[link]});
  }
  return result;
}

}  // namespace simtrain
