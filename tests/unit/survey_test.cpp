// Diameter, mean distance and bisection of each family against the textbook's formulas, which are written out here.
#include "sim/platform/survey.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sim/platform/bisection.hpp"

namespace simtrain {
namespace {

constexpr double kB = 1e9;  // of every cable, unless a platform says otherwise

std::unique_ptr<Topology> topology(const std::string& text) {
  return make_topology(parse_platform_spec(text + ",bandwidth=1GBps,latency=1us"));
}

// Mean over pairs of two hosts, from the mean over all pairs, of which one in N is a host with itself.
double without_self(double mean, double hosts) { return mean * hosts / (hosts - 1); }

void expect_survey(const std::string& text, std::int64_t diameter, double mean_links) {
  const RouteSurvey found = survey_routes(*topology(text));
  EXPECT_EQ(found.most_links, diameter) << text;
  EXPECT_NEAR(found.mean_links, mean_links, 1e-9 * mean_links) << text;
}

void expect_bisection(const std::string& text, double one_way_Bps) {
  const Bisection found = bisection(*topology(text));
  EXPECT_DOUBLE_EQ(found.one_way_Bps, one_way_Bps) << text;
  EXPECT_DOUBLE_EQ(found.both_ways_Bps, 2 * one_way_Bps) << text;
}

// The k-ary n-cube (W. J. Dally, B. Towles, "Principles and Practices of Interconnection Networks", 2004, chapter 5):
// diameter n floor(k/2), mean distance n k/4 for even k and n (k/4 - 1/(4k)) for odd ones.
TEST(Torus, HasTheTextbooksDiameterAndMeanDistance) {
  struct Case {
    const char* text;
    int k, n;
  };
  for (const auto& [text, k, n] : std::vector<Case>{{"torus:8", 8, 1},
                                                    {"torus:4x4", 4, 2},
                                                    {"torus:4x4x4", 4, 3},
                                                    {"torus:5", 5, 1},
                                                    {"torus:5x5", 5, 2},
                                                    {"torus:3x3x3x3", 3, 4},
                                                    {"torus:2x2x2", 2, 3}}) {
    const double mean = k % 2 == 0 ? n * k / 4.0 : n * (k / 4.0 - 1 / (4.0 * k));
    expect_survey(text, n * (k / 2), without_self(mean, std::pow(k, n)));
  }
}

// 2 k^(n-1) cables cross the middle of a k-ary n-cube, each 1 GB/s each way.
TEST(Torus, HasTheTextbooksBisection) {
  expect_bisection("torus:8", 2 * kB);
  expect_bisection("torus:4x4", 2 * 4 * kB);
  expect_bisection("torus:4x4x4", 2 * 4 * 4 * kB);
  expect_bisection("torus:6x6x6x6", 2 * 6 * 6 * 6 * kB);
  // Sides of unequal length: across the longest.
  expect_bisection("torus:8x8x4", 2 * 8 * 4 * kB);
  expect_bisection("torus:4x16x2", 2 * 4 * 2 * kB);
  // An odd ring is cut in two places all the same.
  expect_bisection("torus:5x4", 2 * 4 * kB);
}

// m hosts on a leaf, L leaves: m - 1 hosts at 2 links, all others at 4.
TEST(FatTree, HasTheTextbooksDiameterAndMeanDistance) {
  expect_survey("fat-tree:4x6", 4, (3 * 2 + 20 * 4) / 23.0);
  expect_survey("fat-tree:4x6,up=2,cables=2", 4, (3 * 2 + 20 * 4) / 23.0);
  expect_survey("fat-tree:4x3x2", 6, (3 * 2 + 8 * 4 + 12 * 6) / 23.0);
  expect_survey("leaf-spine:6x4", 4, (3 * 2 + 20 * 4) / 23.0);
}

TEST(FatTree, BisectionIsFullOrDividedByTheOverSubscription) {
  expect_bisection("fat-tree:16x8", 64 * kB);           // N / 2 hosts
  expect_bisection("fat-tree:16x8,up=8", 64 * kB / 2);  // 2:1
  expect_bisection("fat-tree:16x8,up=4,cables=2", 64 * kB / 2);
  expect_bisection("fat-tree:16x8,up=1", 64 * kB / 16);
  expect_bisection("fat-tree:16x8,up=32", 64 * kB);  // more uplinks than hosts help nobody
  // Three levels: of a group of 4 leaves with 4 hosts, 16 leave over 16 cables, 4 leaves x 2, or 2 switches x 3.
  expect_bisection("fat-tree:4x4x6", 6 / 2 * 16 * kB);
  expect_bisection("fat-tree:4x4x6,up=2x4", 6 / 2 * 8 * kB);
  expect_bisection("fat-tree:4x4x6,up=2x3", 6 / 2 * 2 * 3 * kB);
  // An odd number of leaves: the one in the middle is cut in two. 3 leaves of 4: 6 hosts on each side.
  expect_bisection("fat-tree:4x3", 6 * kB);
}

// Leaves x hosts x 1 GB/s / 2, or over S spines x C cables.
TEST(LeafSpine, BisectionIsWhatTheUplinksCarry) {
  expect_bisection("leaf-spine:8x16,uplink-bandwidth=4GBps", 64 * kB);
  expect_bisection("leaf-spine:8x16,spines=2,uplink-bandwidth=4GBps", 8 / 2 * 2 * 4 * kB);
  expect_bisection("leaf-spine:8x16,spines=2,cables=2,uplink-bandwidth=3GBps", 8 / 2 * 2 * 2 * 3 * kB);
}

// The largest dragonfly with one cable between every two groups, g = a h + 1. From a router, h groups are reached
// without a local hop before the global one; in each group one router of a without a local hop after it.
TEST(Dragonfly, HasThreeRouterHopsAndTheMeanOfMinimalRouting) {
  struct Case {
    int a, p, h;
  };
  for (const auto& [a, p, h] : std::vector<Case>{{4, 2, 2}, {6, 3, 3}, {3, 1, 4}}) {
    const int g = a * h + 1, hosts = g * a * p;
    const double same_group = (p - 1) * 2 + (a - 1) * p * 3;
    const double direct = h * (a * p * 3 + (a - 1) * p), detour = (g - 1 - h) * (a * p * 4 + (a - 1) * p);
    expect_survey("dragonfly:" + std::to_string(g) + "x" + std::to_string(a) + "x" + std::to_string(p) +
                      ",global=" + std::to_string(h),
                  2 + 3, (same_group + direct + detour) / (hosts - 1));
  }
  // One group: routers joined all to all.
  expect_survey("dragonfly:1x4x2", 3, (1 * 2 + 3 * 2 * 3) / 7.0);
}

// Half of an even number of groups is joined to the other half by (g / 2)^2 K cables. Local cables are wide here, since
// a path may have to change the router.
TEST(Dragonfly, BisectionIsThatOfTheGlobalCables) {
  const std::string wide = ",local-bandwidth=100GBps,bandwidth=100GBps,global-bandwidth=1GBps";
  const auto one_way = [&](const std::string& text) {
    return bisection(*make_topology(parse_platform_spec(text + wide))).one_way_Bps;
  };
  EXPECT_DOUBLE_EQ(one_way("dragonfly:8x4x2,global=2"), 16 * kB);     // K = floor(4 x 2 / 7) = 1
  EXPECT_DOUBLE_EQ(one_way("dragonfly:4x4x2,global=3"), 4 * 4 * kB);  // K = floor(4 x 3 / 3) = 4
  EXPECT_DOUBLE_EQ(one_way("dragonfly:2x4x2,global=2"), 8 * kB);      // K = 4 x 2
  // Where global cables are plenty, the hosts are what limits.
  expect_bisection("dragonfly:2x4x2,global=8,local-bandwidth=8GBps", 8 * kB);
}

TEST(Star, IsLimitedByHostsOrByTheBackbone) {
  expect_survey("ethernet:9", 2, 2);
  expect_survey("crossbar:2", 2, 2);
  expect_bisection("ethernet:10", 5 * kB);
  expect_bisection("ethernet:9", 4 * kB);
  // The backbone is shared by both directions.
  const Bisection limited = bisection(*topology("ethernet:10,backbone=6GBps"));
  EXPECT_DOUBLE_EQ(limited.one_way_Bps, 5 * kB);
  EXPECT_DOUBLE_EQ(limited.both_ways_Bps, 6 * kB);
  EXPECT_DOUBLE_EQ(bisection(*topology("ethernet:10,backbone=2GBps")).one_way_Bps, 2 * kB);
}

TEST(Survey, LatenciesFollowTheLinksAndSamplesAreNearAndFar) {
  const RouteSurvey found = survey_routes(*topology("torus:8x8"));
  EXPECT_NEAR(found.most_latency_s, 8e-6, 1e-15);
  EXPECT_NEAR(found.mean_latency_s, found.mean_links * 1e-6, 1e-15);
  EXPECT_EQ(found.fewest_links, 1);
  ASSERT_EQ(found.samples.size(), 3U);
  EXPECT_EQ(found.samples[0].route.links, 1);
  EXPECT_EQ(found.samples[1].route.links, 4);
  EXPECT_EQ(found.samples[2].route.links, 8);
  EXPECT_EQ(found.samples[2].to, 4 + 8 * 4);
  EXPECT_DOUBLE_EQ(found.samples[2].route.bandwidth_Bps, kB);
}

TEST(Survey, OneHostAloneHasNoRoutes) {
  EXPECT_TRUE(survey_routes(*topology("ethernet:1")).samples.empty());
  EXPECT_EQ(bisection(*topology("ethernet:1")).one_way_Bps, 0);
}

// What is computed from the representatives is what all hosts would give.
TEST(Survey, RepresentativesStandForAllHosts) {
  for (const char* text : {"torus:4x3x2", "fat-tree:4x3x2,up=2x3", "leaf-spine:3x4", "dragonfly:5x4x2,global=2",
                           "dragonfly:9x4x2", "dragonfly:6x3x1,global=4", "ethernet:5"}) {
    const auto network = topology(text);
    std::vector<std::int32_t> all(static_cast<std::size_t>(network->hosts()));
    std::iota(all.begin(), all.end(), 0);
    const auto count_links = [&](std::int32_t from, std::int32_t to) {
      std::vector<std::int32_t> links;
      network->route(from, to, links);
      return RouteFigures{static_cast<std::int64_t>(links.size()), 0, 0};
    };
    const RouteSurvey brute = survey_routes(network->hosts(), all, count_links), quick = survey_routes(*network);
    EXPECT_EQ(quick.most_links, brute.most_links) << text;
    EXPECT_EQ(quick.fewest_links, brute.fewest_links) << text;
    EXPECT_NEAR(quick.mean_links, brute.mean_links, 1e-12) << text;
  }
}

}  // namespace
}  // namespace simtrain
