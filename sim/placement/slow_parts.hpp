// Hosts that compute slower than the profile says, and links with less bandwidth than the platform says: named by
// patterns, or drawn.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace simtrain {

// Some parts, and what their speed or bandwidth is multiplied by: above 0, at most 1.
struct NamedParts {
  std::string pattern;  // base/name_pattern.hpp
  double factor = 1;
};
struct DrawnParts {
  int count = 0;
  double factor = 1;
};

struct SlowPartsOptions {
  std::vector<NamedParts> hosts, links;
  std::optional<DrawnParts> drawn_hosts, drawn_links;
  std::uint64_t seed = 1;  // of what is drawn
  [[nodiscard]] bool any() const { return !hosts.empty() || !links.empty() || drawn_hosts || drawn_links; }
  // "host-3=0.5, 2 drawn hosts=0.5, link x+ of (3,0)=0.1 (seed 7)"; empty: none
  [[nodiscard]] std::string description() const;
};

// --slow-host, --slow-hosts, --degrade-link, --degrade-links, --slow-seed.
boost::program_options::options_description slow_parts_options();
// InputError for wrong numbers, and for a seed without anything to draw.
SlowPartsOptions slow_parts_from(const boost::program_options::variables_map& values);

// Factors by number. A part that several patterns match has the product of their factors.
struct SlowParts {
  std::map<int, double> hosts, links;
};

struct NamesOfParts {  // of a platform
  std::string platform;
  int hosts = 0, links = 0;
  std::function<std::string(int)> host, link;
};

// InputError that names the nearest part for a pattern that matches none, and when more are to be drawn than there are.
SlowParts find_slow_parts(const SlowPartsOptions& options, const NamesOfParts& names);

}  // namespace simtrain
