// Topologies as graphs: do routes lead where they should, over as many links as the textbook says, and are links known
// by their place?
#include "sim/platform/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace simtrain {
namespace {

std::unique_ptr<Topology> topology(const std::string& text) { return make_topology(parse_platform_spec(text)); }

std::vector<std::int32_t> route(const Topology& network, std::int32_t from, std::int32_t to) {
  std::vector<std::int32_t> links;
  network.route(from, to, links);
  return links;
}

// Every route is a path from one host to the other that meets no link twice.
void expect_paths(const Topology& network) {
  for (std::int32_t from = 0; from < network.hosts(); ++from)
    for (std::int32_t to = 0; to < network.hosts(); ++to) {
      std::int32_t at = from;
      const std::vector<std::int32_t> links = route(network, from, to);
      for (const std::int32_t link : links) {
        ASSERT_EQ(network.ends(link).first, at) << from << " to " << to;
        at = network.ends(link).second;
      }
      ASSERT_EQ(at, to) << "from " << from;
      ASSERT_EQ(std::set<std::int32_t>(links.begin(), links.end()).size(), links.size()) << from << " to " << to;
    }
}

TEST(Topology, RoutesArePaths) {
  for (const char* text :
       {"torus:5", "torus:2", "torus:4x3x2", "torus:2x2x2x3", "fat-tree:6", "fat-tree:4x3,up=2", "fat-tree:2x3x2",
        "fat-tree:3x2x2,up=2x3", "ethernet:5", "ethernet:5,backbone=1GBps", "crossbar:4", "node:3"})
    expect_paths(*topology(text));
}

TEST(Topology, LinksAreInExactlyOneClassAndHaveNamesOfTheirOwn) {
  for (const char* text : {"torus:4x3x2", "fat-tree:3x2x2,up=2x3", "ethernet:5,backbone=1GBps"}) {
    const auto network = topology(text);
    std::set<std::string> names;
    for (std::int32_t link = 0; link < network->links(); ++link) {
      const LinkClass& its = network->class_of(link);
      EXPECT_TRUE(link >= its.first && link < its.first + its.count);
      names.insert(network->name_of(link) + " " + std::to_string(network->ends(link).second));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(network->links())) << text;
  }
  EXPECT_EQ(topology("torus:4x3x2")->name_of(route(*topology("torus:4x3x2"), 0, 1)[0]), "x+ of (0,0,0)");
  EXPECT_EQ(topology("torus:4x3x2")->name_of(route(*topology("torus:4x3x2"), 0, 8)[0]), "y- of (0,0,0)");
}

// Both ways round are equally long: half of the hosts go either way.
TEST(Torus, LinksOfAnAllToAllCarryTheSame) {
  for (const int side : {4, 6, 8}) {
    const auto ring = topology("torus:" + std::to_string(side));
    std::vector<int> flows(static_cast<std::size_t>(ring->links()));
    for (int from = 0; from < side; ++from)
      for (int to = 0; to < side; ++to)
        for (const std::int32_t link : route(*ring, from, to)) ++flows[static_cast<std::size_t>(link)];
    // An even number n of hosts: the distances from one to all add up to n^2 / 4; 2 n links share those of all.
    const double mean = side * side / 4.0 * side / (2.0 * side);
    for (const int number : flows) EXPECT_NEAR(number, mean, 0.5) << side;
    EXPECT_EQ(std::accumulate(flows.begin(), flows.end(), 0), side * side * side / 4);
  }
}

TEST(FatTree, HasAsManySwitchesAndLinksAsTheFormula) {
  const auto tree = topology("fat-tree:4x3x2,up=2x3");
  EXPECT_EQ(tree->hosts(), 24);
  // Level 1: 24 / 4 = 6 leaves; level 2: 2 subtrees of 2 twins; top: 2 x 3.
  EXPECT_EQ(tree->vertices() - tree->hosts(), 6 + 4 + 6);
  EXPECT_EQ(tree->links(), 2 * (24 + 6 * 2 + 4 * 3));
}

// D-mod-k: a shift by the hosts of a leaf needs every uplink once.
TEST(FatTree, ShiftsDoNotContend) {
  const auto tree = topology("fat-tree:4x4x2");
  for (const int shift : {4, 16, 5}) {
    std::vector<int> flows(static_cast<std::size_t>(tree->links()));
    for (int from = 0; from < tree->hosts(); ++from)
      for (const std::int32_t link : route(*tree, from, (from + shift) % tree->hosts()))
        ++flows[static_cast<std::size_t>(link)];
    EXPECT_EQ(*std::max_element(flows.begin(), flows.end()), 1) << shift;
  }
}

}  // namespace
}  // namespace simtrain
