// The hosts of a platform as placements see them: which there are, and which of them are near each other. Found from
// the lengths of routes, so that platforms in one word and files are alike. No SimGrid here.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace simtrain {

struct HostSpace {
  std::string platform;            // as the user gave it, for errors
  std::vector<std::string> names;  // by host
  std::vector<int> torus;          // hosts per dimension, the first changes fastest; empty: not a torus
  std::vector<int> groups;         // consecutive hosts under one switch, level by level: {16, 128}; empty: no levels
  std::vector<char> left_out;      // by host: holds no ranks; empty: all may
};

// The number of links of the route between two different hosts.
using RouteLength = std::function<int(int from, int to)>;

// Hosts per dimension, if hosts that are one link apart are those of a torus numbered as x + X (y + Y z ...). Empty
// otherwise.
std::vector<int> find_torus(int hosts, const RouteLength& length);

// Sizes of groups of consecutive hosts, growing: between two hosts that follow each other and are not in one group, the
// route is longer than between any two neighbours inside. Fat tree of 8 leaf switches with 16 hosts, two of which are
// in a group of the next level: {16, 32}. The whole platform is not listed.
std::vector<int> find_groups(int hosts, const RouteLength& length);

}  // namespace simtrain
