// Networks as graphs with a rule for their routes: what platforms that are written in one word consist of. Pure values;
// no SimGrid here (sim/platform/fabric_zone.hpp gives a topology to it).
//
//   std::unique_ptr<Topology> torus = make_topology(parse_platform_spec("torus:8x8x4"));
//   std::vector<std::int32_t> links;
//   torus->route(0, 9, links);                       // one to the right in x, one in y
//   torus->name_of(links[0]);                        // "x+ of (0,0,0)"
//
// A vertex is a host (0 ... hosts() - 1) or a switch (from hosts() on). A link is one direction of one cable, numbered
// from 0, so that links of one class follow each other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/platform/spec.hpp"

namespace simtrain {

// Links that are alike and have the same place in the network.
struct LinkClass {
  std::string name;  // "x+", "y-", "host up", "leaf up", "leaf down", "group": unique in a topology
  std::int32_t first = 0, count = 0;
  double bandwidth_Bps = 0, latency_s = 0;
};

// Where a vertex stands in a picture, in units of the distance between two neighbouring hosts.
struct Point {
  double x = 0, y = 0;
};

class Topology {
 public:
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  virtual ~Topology() = default;

  [[nodiscard]] std::int32_t hosts() const { return hosts_; }
  [[nodiscard]] std::int32_t vertices() const { return hosts_ + switches_; }
  [[nodiscard]] std::int32_t links() const;
  [[nodiscard]] const std::vector<LinkClass>& classes() const { return classes_; }
  [[nodiscard]] const LinkClass& class_of(std::int32_t link) const;

  // Appends the links from one host to another, in their order. Always the same ones; none for from == to.
  virtual void route(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const = 0;

  // The vertices that a link leads from and to.
  [[nodiscard]] virtual std::pair<std::int32_t, std::int32_t> ends(std::int32_t link) const = 0;

  // Where a vertex is, for people: "(3,0,1)" in a torus, "leaf 2" in a fat tree.
  [[nodiscard]] virtual std::string place_of(std::int32_t vertex) const = 0;
  // Which one of parallel cables between two switches this link is a direction of: 0, 1, …
  [[nodiscard]] virtual std::int32_t cable_of(std::int32_t /*link*/) const { return 0; }
  // Unique: class and host, or both switches: "x+ of (3,0,1)", "host up of host 5", "leaf up of leaf 2 to core 1",
  // "global of router 0 of group 3 to router 2 of group 1, cable 1".
  [[nodiscard]] std::string name_of(std::int32_t link) const;

  [[nodiscard]] virtual Point position_of(std::int32_t vertex) const = 0;

  // Halves of the hosts (true: in the second one) among which a narrowest bisection is: one that cuts each dimension of
  // a torus, or half of the branches of a tree. With an odd number of layers the halves of a torus
  // differ by one layer; else they are as equal as they can be, and an odd branch is cut in two.
  [[nodiscard]] virtual std::vector<std::vector<bool>> halves() const;

  // Hosts from which routes look like those from any host, as to their lengths: what is true of routes from these to
  // all hosts is true of all routes.
  [[nodiscard]] virtual std::vector<std::int32_t> representatives() const { return {0}; }

 protected:
  Topology(std::int32_t hosts, std::int32_t switches) : hosts_(hosts), switches_(switches) {}
  // Returns the number of the class's first link.
  std::int32_t add_class(std::string name, std::int32_t count, double bandwidth_Bps, double latency_s);

 private:
  std::int32_t hosts_, switches_;
  std::vector<LinkClass> classes_;
};

// For every specification that parse_platform_spec() returns.
std::unique_ptr<Topology> make_topology(const PlatformSpec& spec);

}  // namespace simtrain
