// Where do ranks sit? Placements against tables written by hand, on tori, trees and platforms without levels.
#include "sim/placement/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/files.hpp"
#include "sim/placement/blocks.hpp"
#include "sim/platform/topology.hpp"

namespace simtrain {
namespace {

using Kind = Placement::Kind;
using Hosts = std::vector<int>;

RouteLength lengths_on(const Topology& network) {
  return [&network](int from, int to) {
    std::vector<std::int32_t> links;
    network.route(from, to, links);
    return static_cast<int>(links.size());
  };
}

HostSpace space(const std::string& platform) {
  const auto network = make_topology(parse_platform_spec(platform));
  HostSpace all{platform, {}, {}, {}, {}};
  for (int host = 0; host < network->hosts(); ++host) all.names.push_back("host-" + std::to_string(host));
  all.torus = find_torus(network->hosts(), lengths_on(*network));
  if (all.torus.empty()) all.groups = find_groups(network->hosts(), lengths_on(*network));
  return all;
}

Hosts placed(Kind kind, Grid grid, const std::string& platform, int per_host = 1) {
  return place({kind, 1, {}}, grid, per_host, space(platform));
}

template <typename Error>
std::string complaint(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void expect_parts(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(HostSpace, FindsEveryTorus) {
  for (const Hosts& shape : {Hosts{5}, {2}, {4, 3, 2}, {3, 3}, {2, 2, 2}, {2, 3}, {3, 2}, {8, 8, 4}, {4, 4, 4, 2}}) {
    std::string text = "torus";
    for (const int size : shape) text += (text == "torus" ? ":" : "x") + std::to_string(size);
    EXPECT_EQ(space(text).torus, shape) << text;
  }
  for (const char* other : {"fat-tree:4x4", "ethernet:8", "crossbar:5", "node:4"})
    EXPECT_TRUE(space(other).torus.empty()) << other;
}

TEST(HostSpace, FindsTheLevelsOfTrees) {
  EXPECT_EQ(space("fat-tree:4x3").groups, Hosts{4});
  EXPECT_EQ(space("fat-tree:4x3x2,up=2x3").groups, (Hosts{4, 12}));
  EXPECT_TRUE(space("ethernet:8").groups.empty());
  EXPECT_TRUE(space("ethernet:1").groups.empty());
}

// The table in sim/placement/placement.hpp, by rank instead of by host.
TEST(Placement, TableOfTheHeader) {
  const Grid grid{2, 4};
  EXPECT_EQ(placed(Kind::column_major, grid, "torus:4x2"), (Hosts{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(placed(Kind::row_major, grid, "torus:4x2"), (Hosts{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(placed(Kind::snake, grid, "torus:4x2"), (Hosts{0, 1, 2, 3, 7, 6, 5, 4}));
  EXPECT_EQ(placed(Kind::blocks, grid, "torus:4x2"), (Hosts{0, 1, 2, 3, 6, 7, 4, 5}));
}

TEST(Placement, SnakeLeadsFromNeighbourToNeighbour) {
  const auto torus = make_topology(parse_platform_spec("torus:4x3x5"));
  const Hosts path = snake_through({4, 3, 5});
  EXPECT_EQ(std::set<int>(path.begin(), path.end()).size(), 60U);
  for (std::size_t i = 1; i < path.size(); ++i) EXPECT_EQ(lengths_on(*torus)(path[i - 1], path[i]), 1) << i;
}

// 32 hosts of 8x8x4: no box of 32 has opposite corners nearer than 6 links, since a whole z costs 2.
TEST(Placement, BlocksOfATorusAreCompactBoxesThatTileIt) {
  const auto torus = make_topology(parse_platform_spec("torus:8x8x4"));
  const Hosts hosts = placed(Kind::blocks, {32, 8}, "torus:8x8x4");
  EXPECT_EQ(std::set<int>(hosts.begin(), hosts.end()).size(), 256U);
  for (int column = 0; column < 8; ++column) {
    int farthest = 0;
    for (int a = 0; a < 32; ++a)
      for (int b = 0; b < 32; ++b)
        if (a != b)
          farthest = std::max(farthest, lengths_on(*torus)(hosts[static_cast<std::size_t>(32 * column + a)],
                                                           hosts[static_cast<std::size_t>(32 * column + b)]));
    EXPECT_EQ(farthest, 6) << column;
  }
  // Consecutive hosts are 8x4x1: 4 + 3.
  EXPECT_EQ(lengths_on(*torus)(0, 4 + 8 * 3), 7);
}

TEST(Placement, BlocksOfOddSizeLeaveHostsFree) {
  const Hosts hosts = placed(Kind::blocks, {31, 8}, "torus:8x8x4");
  EXPECT_EQ(std::set<int>(hosts.begin(), hosts.end()).size(), 248U);
}

TEST(Placement, BlocksOfATreeStayBelowOneSwitch) {
  // Columns of 3 on leaves of 4: one on each leaf, where column-major breaks them.
  EXPECT_EQ(placed(Kind::blocks, {3, 4}, "fat-tree:4x4"), (Hosts{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}));
  EXPECT_EQ(placed(Kind::row_blocks, {2, 3}, "fat-tree:4x2"), (Hosts{0, 4, 1, 5, 2, 6}));
  // Columns of 6 on leaves of 4: two leaves each; there is no room for three of them, so they are not kept apart.
  EXPECT_EQ(placed(Kind::blocks, {6, 2}, "fat-tree:4x4"), (Hosts{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13}));
  EXPECT_EQ(placed(Kind::blocks, {5, 3}, "fat-tree:4x4"), placed(Kind::column_major, {5, 3}, "fat-tree:4x4"));
  // Without levels every order is as good.
  EXPECT_EQ(placed(Kind::blocks, {2, 2}, "ethernet:5"), (Hosts{0, 1, 2, 3}));
}

TEST(Placement, SeveralRanksShareAHost) {
  EXPECT_EQ(placed(Kind::column_major, {2, 3}, "ethernet:4", 4), (Hosts{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(placed(Kind::row_major, {2, 3}, "ethernet:4", 3), (Hosts{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(placed(Kind::column_major, {5, 1}, "ethernet:4", 2), (Hosts{0, 0, 1, 1, 2}));  // what is left over
  EXPECT_EQ(placed(Kind::blocks, {3, 2}, "ethernet:4", 2), (Hosts{0, 0, 1, 2, 2, 3}));     // no host has both columns
  EXPECT_EQ(placed(Kind::blocks, {2, 4}, "ethernet:4", 4), (Hosts{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Placement, RandomIsAPermutationThatFollowsFromItsSeed) {
  const HostSpace hosts = space("torus:8x8");
  const auto drawn = [&](std::uint64_t seed) { return place({Kind::random, seed, {}}, {8, 8}, 1, hosts); };
  const Hosts one = drawn(1);
  EXPECT_EQ(one, drawn(1));
  EXPECT_NE(one, drawn(2));
  EXPECT_TRUE(std::is_permutation(one.begin(), one.end(), placed(Kind::column_major, {8, 8}, "torus:8x8").begin()));
  // Of 64 places 64 / 64 = 1 is fixed on average, whatever the permutation is drawn by.
  int fixed = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Hosts order = drawn(seed);
    for (int i = 0; i < 64; ++i) fixed += order[static_cast<std::size_t>(i)] == i ? 1 : 0;
  }
  EXPECT_NEAR(fixed, 100, 4 * 10);  // variance 1 a permutation: four standard deviations
}

TEST(Placement, HostsLeftOutHoldNothing) {
  HostSpace hosts = space("torus:4x2");
  hosts.left_out = {0, 1, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(place({Kind::column_major, 1, {}}, {7, 1}, 1, hosts), (Hosts{0, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(place({Kind::snake, 1, {}}, {3, 1}, 1, hosts), (Hosts{0, 2, 3}));
  EXPECT_EQ(place({Kind::blocks, 1, {}}, {2, 3}, 1, hosts), (Hosts{2, 3, 6, 7, 4, 5}));
  EXPECT_EQ(slot_count({Kind::column_major, 1, {}}, 2, hosts), 14);
  expect_parts(complaint<InputError>([&] {
                 (void)place({Kind::column_major, 1, {}}, {8, 1}, 1, hosts);
               }),
               {"7 hosts", "8 processes"});
}

TEST(Placement, SaysWhatIsNotPossible) {
  expect_parts(complaint<NotPlaceable>([] {
                 (void)placed(Kind::snake, {2, 2}, "ethernet:4");
               }),
               {"'snake'", "ethernet:4", "no torus"});
  expect_parts(complaint<NotPlaceable>([] {
                 (void)placed(Kind::blocks, {48, 5}, "torus:8x8x4");
               }),
               {"'blocks'", "5 blocks of 48 hosts", "48x5"});
  expect_parts(complaint<InputError>([] {
                 (void)placed(Kind::column_major, {3, 3}, "torus:4x2");
               }),
               {"torus:4x2", "8 hosts", "9 processes", "1 on each"});
  expect_parts(complaint<InputError>([] {
                 (void)placed(Kind::row_major, {17, 1}, "torus:4x2", 2);
               }),
               {"8 hosts", "17 processes", "2 on each"});
}

TEST(Placement, IsReadFromItsName) {
  for (const char* name : {"column-major", "row-major", "blocks", "row-blocks", "snake", "random:7", "auto"}) {
    EXPECT_EQ(name_of(parse_placement("--placement", name)), name);
    EXPECT_EQ(parse_placement_name(name), parse_placement("--placement", name));
  }
  EXPECT_EQ(name_of(parse_placement("--placement", "random")), "random:1");
  const auto refusal = [](const std::string& text) {
    return complaint<InputError>([&] { (void)parse_placement("--placement", text); });
  };
  expect_parts(refusal("row-majr"), {"--placement", "'row-majr'", "did you mean 'row-major'", "hostfile"});
  expect_parts(refusal("random:x"), {"--placement", "random:x"});
  expect_parts(refusal("random:-1"), {"--placement", "-1"});
  expect_parts(refusal("./none"), {"hostfile './none'"});
}

TEST(Placement, FollowsAHostfile) {
  write_file("placement_hosts", "host-3 slots=2\nhost-1\nhost-0:1 # the last one\n");
  const Placement placement = parse_placement("--placement", "placement_hosts");
  EXPECT_EQ(name_of(placement), "hostfile placement_hosts");
  EXPECT_EQ(parse_placement_name(name_of(placement)), placement);
  HostSpace hosts = space("torus:4");
  EXPECT_EQ(place(placement, {2, 2}, 1, hosts), (Hosts{3, 3, 1, 0}));
  EXPECT_EQ(place(placement, {5, 1}, 2, hosts), (Hosts{3, 3, 1, 1, 0}));
  expect_parts(complaint<InputError>([&] {
                 (void)place(placement, {5, 1}, 1, hosts);
               }),
               {"placement_hosts", "4 slots", "at least 5"});
  hosts.left_out = {0, 0, 0, 1};
  EXPECT_EQ(place(placement, {2, 1}, 1, hosts), (Hosts{1, 0}));
  std::remove("placement_hosts");
}

}  // namespace
}  // namespace simtrain
