// Topologies as graphs: do routes lead where they should, over as many links as the textbook says, and are links known
// by their place?
#include "sim/platform/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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
  for (const char* text : {"torus:5",
                           "torus:2",
                           "torus:4x3x2",
                           "torus:2x2x2x3",
                           "fat-tree:6",
                           "fat-tree:4x3,up=2",
                           "fat-tree:2x3x2",
                           "fat-tree:3x2x2,up=2x3",
                           "ethernet:5",
                           "ethernet:5,backbone=1GBps",
                           "crossbar:4",
                           "node:3",
                           "fat-tree:4x3,up=2,cables=3",
                           "leaf-spine:3x4",
                           "leaf-spine:3x4,spines=2,cables=2",
                           "dragonfly:1x3x2",
                           "dragonfly:2x1x3",
                           "dragonfly:9x4x2",
                           "dragonfly:5x3x2,global=3",
                           "dragonfly:4x4x1,global=7",
                           "dragonfly:2x2x2,global=5"})
    expect_paths(*topology(text));
}

TEST(Topology, LinksAreInExactlyOneClassAndHaveNamesOfTheirOwn) {
  for (const char* text : {"torus:4x3x2", "torus:2x2", "fat-tree:3x2x2,up=2x3,cables=1x2", "leaf-spine:3x4,cables=2",
                           "dragonfly:5x3x2,global=3", "ethernet:5,backbone=1GBps"}) {
    const auto network = topology(text);
    std::set<std::string> names;
    for (std::int32_t link = 0; link < network->links(); ++link) {
      const LinkClass& its = network->class_of(link);
      EXPECT_TRUE(link >= its.first && link < its.first + its.count);
      names.insert(network->name_of(link));
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(network->links())) << text;
  }
  EXPECT_EQ(topology("torus:4x3x2")->name_of(route(*topology("torus:4x3x2"), 0, 1)[0]), "x+ of (0,0,0)");
  EXPECT_EQ(topology("torus:4x3x2")->name_of(route(*topology("torus:4x3x2"), 0, 8)[0]), "y- of (0,0,0)");
  EXPECT_EQ(topology("fat-tree:4x3")->name_of(12 + 12), "leaf up of leaf 0 to core 0");
  EXPECT_EQ(topology("leaf-spine:3x4,spines=1,cables=2")->name_of(12 + 12 + 1),
            "leaf up of leaf 0 to spine 0, cable 1");
}

// Both ways round are equally long: half of the hosts go either way.
TEST(Torus, LinksOfAnAllToAllCarryTheSame) {
  for (const int side : {4, 6, 8}) {
    const auto ring = topology("torus:" + std::to_string(side));
    std::vector<int> flows(static_cast<std::size_t>(ring->links()));
    for (int from = 0; from < side; ++from)
      for (int to = 0; to < side; ++to)
        for (const std::int32_t link : route(*ring, from, to)) ++flows[static_cast<std::size_t>(link)];
    // A ring of an even number of hosts: the mean distance to all n of them, itself included, is n / 4. 2 n links share
    // n^3 / 4 in all, which is 4.5 each with 6 hosts.
    for (const int number : flows) EXPECT_NEAR(number, side * side / 8.0, 0.5) << side;
  }
}

TEST(FatTree, HasAsManySwitchesAndLinksAsTheFormula) {
  const auto tree = topology("fat-tree:4x3x2,up=2x3");
  EXPECT_EQ(tree->hosts(), 24);
  // Level 1: 24 / 4 = 6 leaves; level 2: 2 subtrees of 2 twins; top: 2 x 3.
  EXPECT_EQ(tree->vertices() - tree->hosts(), 6 + 4 + 6);
  EXPECT_EQ(tree->links(), 2 * (24 + 6 * 2 + 4 * 3));
}

TEST(FatTree, ParallelCablesAndSpinesAreUsedAlike) {
  // All hosts of leaf 0 send to those of leaf 1: 4 uplinks (2 switches x 2 cables) for 4 flows.
  for (const char* text : {"fat-tree:4x2,up=2,cables=2", "leaf-spine:2x4,spines=2,cables=2"}) {
    const auto tree = topology(text);
    std::set<std::int32_t> used;
    for (std::int32_t host = 0; host < 4; ++host)
      for (const std::int32_t link : route(*tree, host, 4 + host)) used.insert(link);
    EXPECT_EQ(used.size(), 4U * 4) << text << ": no link carries two of the flows";
  }
}

TEST(LeafSpine, UplinksHaveFiguresOfTheirOwn) {
  const auto network =
      topology("leaf-spine:4x8,bandwidth=25Gbps,latency=2us,uplink-bandwidth=100Gbps,uplink-latency=1us");
  ASSERT_EQ(network->classes().size(), 4U);
  EXPECT_DOUBLE_EQ(network->classes()[0].bandwidth_Bps, 25e9 / 8);
  EXPECT_DOUBLE_EQ(network->classes()[1].latency_s, 2e-6);
  EXPECT_EQ(network->classes()[2].name, "leaf up");
  EXPECT_EQ(network->classes()[2].count, 4 * 2) << "8 x 25 Gbit/s need two spines";
  EXPECT_DOUBLE_EQ(network->classes()[3].bandwidth_Bps, 100e9 / 8);
  EXPECT_DOUBLE_EQ(network->classes()[3].latency_s, 1e-6);
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

// Every two groups have K cables, both directions of which exist; no router has more than its ports; the routers of a
// group are joined all to all.
TEST(Dragonfly, HasTheCablesOfItsDefinition) {
  struct Case {
    const char* text;
    int groups, routers, hosts, ports, cables;
  };
  for (const auto& [text, groups, routers, hosts, ports, cables] :
       std::vector<Case>{{"dragonfly:9x4x2", 9, 4, 2, 2, 1},
                         {"dragonfly:5x4x2,global=3", 5, 4, 2, 3, 3},
                         {"dragonfly:4x3x1,global=1", 4, 3, 1, 1, 1},
                         {"dragonfly:3x4x2,global=5", 3, 4, 2, 5, 10}}) {
    const auto network = topology(text);
    EXPECT_EQ(network->hosts(), groups * routers * hosts) << text;
    EXPECT_EQ(network->vertices() - network->hosts(), groups * routers) << text;
    std::map<std::pair<int, int>, int> between_groups, between_routers, ports_used;
    for (std::int32_t link = network->classes()[2].first; link < network->links(); ++link) {
      const auto [from, to] = network->ends(link);
      const int one = from - network->hosts(), other = to - network->hosts();
      ++between_routers[{one, other}];
      if (network->class_of(link).name != "global") {
        EXPECT_EQ(one / routers, other / routers) << text;
        continue;
      }
      ++between_groups[{one / routers, other / routers}];
      ++ports_used[{one, 0}];
      ++ports_used[{other, 1}];
    }
    for (int one = 0; one < groups * routers; ++one)
      for (int other = 0; other < groups * routers; ++other)
        if (one != other && one / routers == other / routers) {
          EXPECT_EQ((between_routers[{one, other}]), 1) << text;
        }
    for (const auto& [ends, count] : between_routers)
      EXPECT_EQ(count, (between_routers[{ends.second, ends.first}])) << text;
    EXPECT_EQ(between_groups.size(), static_cast<std::size_t>(groups * (groups - 1))) << text;
    for (const auto& [ends, count] : between_groups) EXPECT_EQ(count, cables) << text;
    int most = 0, least = ports;
    for (const auto& [end, count] : ports_used) {
      most = std::max(most, count);
      least = std::min(least, count);
    }
    EXPECT_LE(most, ports) << text;
    EXPECT_LE(most - least, 1) << text << ": spread evenly";
  }
}

// Up, local, global, local, down at most, and local hops only where the router has no cable of its own.
TEST(Dragonfly, RoutesAreShortest) {
  const auto network = topology("dragonfly:3x4x2,global=2");  // K = 4: every router has a cable to each group
  for (std::int32_t from = 0; from < network->hosts(); ++from)
    for (std::int32_t to = 0; to < network->hosts(); ++to)
      EXPECT_LE(route(*network, from, to).size(), from / 8 == to / 8 ? 3U : 4U) << from << " to " << to;
}

}  // namespace
}  // namespace simtrain
