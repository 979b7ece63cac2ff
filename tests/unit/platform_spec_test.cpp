// One-word platforms: what is understood, and what is refused in which words.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "sim/platform/spec.hpp"

namespace simtrain {
namespace {

// The error's text, or "" when the specification is accepted.
std::string refusal(const std::string& text) {
  try {
    parse_platform_spec(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

void expect_refusal(const std::string& text, const std::vector<std::string>& parts) {
  const std::string message = refusal(text);
  EXPECT_TRUE(message.starts_with("platform '" + text + "'")) << message;
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST(PlatformSpec, ReadsATorusOfAnyDimension) {
  const PlatformSpec torus = parse_platform_spec("torus:16x8x4,bandwidth=6GBps,latency=1us,memory=64GiB");
  EXPECT_EQ(torus.family, PlatformFamily::torus);
  EXPECT_EQ(torus.shape, (std::vector<int>{16, 8, 4}));
  EXPECT_EQ(torus.hosts(), 512);
  EXPECT_DOUBLE_EQ(torus.bandwidth_Bps, 6e9);
  EXPECT_DOUBLE_EQ(torus.latency_s, 1e-6);
  EXPECT_EQ(torus.memory_bytes, std::int64_t{64} << 30);
  EXPECT_EQ(torus.description(), "3-D torus 16x8x4, links of 6.00 GB/s and 1.00 µs");
  EXPECT_EQ(parse_platform_spec("torus:7").hosts(), 7);
  EXPECT_EQ(parse_platform_spec("torus:2x3x4x5x6").hosts(), 720);
}

TEST(PlatformSpec, ShortKeysMeanTheLongOnes) {
  EXPECT_EQ(parse_platform_spec("node:4,memory=64GiB").memory_bytes, std::int64_t{16} << 30) << "a core's share";
  const PlatformSpec spec = parse_platform_spec("crossbar:64,bw=25Gbps,lat=500ns");
  EXPECT_DOUBLE_EQ(spec.bandwidth_Bps, 25e9 / 8);
  EXPECT_DOUBLE_EQ(spec.latency_s, 500e-9);
}

TEST(PlatformSpec, FatTreeIsFullUnlessUplinksAreGiven) {
  EXPECT_EQ(parse_platform_spec("fat-tree:16x8").uplinks, (std::vector<int>{16}));
  EXPECT_EQ(parse_platform_spec("fat-tree:16x8x4").uplinks, (std::vector<int>{16, 8}));
  EXPECT_EQ(parse_platform_spec("fat-tree:16x8x4").hosts(), 512);
  EXPECT_EQ(parse_platform_spec("fat-tree:16x8x4,up=4x8").uplinks, (std::vector<int>{4, 8}));
  EXPECT_TRUE(parse_platform_spec("fat-tree:36").uplinks.empty());
  expect_refusal("fat-tree:16x8,up=4x4", {"key 'up'", "'4x4'", "expected 1 number"});
  expect_refusal("fat-tree:2x2x1048576x1x1,up=1x1x1x1", {"too many hosts"});
  expect_refusal("fat-tree:1x1024,up=1048577", {"key 'up'", "1048576"});
  expect_refusal("fat-tree:1024x1024x1,up=1024x1048576", {"key 'up'", "too many switches"});
}

TEST(PlatformSpec, FatTreeHasParallelCablesAndUplinksOfTheirOwn) {
  EXPECT_EQ(parse_platform_spec("fat-tree:16x8x4").cables, (std::vector<int>{1, 1}));
  EXPECT_EQ(parse_platform_spec("fat-tree:18x16,up=9,cables=2").cables, (std::vector<int>{2}));
  EXPECT_EQ(parse_platform_spec("fat-tree:18x16,up=9,cables=2").description(),
            "fat tree 18x16 with uplinks 9 of 2 cables, links of 6.00 GB/s and 500 ns");
  expect_refusal("fat-tree:16x8,cables=2x2", {"key 'cables'", "'2x2'", "expected 1 number"});
  expect_refusal("fat-tree:16x8,cables=0", {"key 'cables'", "'0'"});
  expect_refusal("fat-tree:1024x1024,up=1024,cables=1024", {"too many cables", "8388608"});
  const PlatformSpec faster = parse_platform_spec("fat-tree:16x8,bw=1GBps,uplink-bandwidth=4GBps,uplink-latency=2us");
  EXPECT_DOUBLE_EQ(faster.bandwidth_Bps, 1e9);
  EXPECT_DOUBLE_EQ(faster.between_switches.bandwidth_Bps, 4e9);
  EXPECT_DOUBLE_EQ(faster.between_switches.latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(parse_platform_spec("fat-tree:16x8,bw=1GBps").between_switches.bandwidth_Bps, 1e9);
}

TEST(PlatformSpec, LeafSpineIsNotOverSubscribedUnlessSpinesAreGiven) {
  const PlatformSpec spec = parse_platform_spec("leaf-spine:16x32");
  EXPECT_EQ(spec.hosts(), 512);
  EXPECT_DOUBLE_EQ(spec.bandwidth_Bps, 25e9 / 8);
  EXPECT_DOUBLE_EQ(spec.latency_s, 5e-6);
  EXPECT_DOUBLE_EQ(spec.between_switches.bandwidth_Bps, 100e9 / 8);
  EXPECT_DOUBLE_EQ(spec.between_switches.latency_s, 1e-6);
  EXPECT_EQ(spec.uplinks, (std::vector<int>{8})) << "32 x 25 = 8 x 100";
  EXPECT_EQ(spec.downlinks(), (std::vector<int>{32, 16}));
  EXPECT_EQ(parse_platform_spec("leaf-spine:16x33").uplinks[0], 9);
  EXPECT_EQ(parse_platform_spec("leaf-spine:16x32,cables=2").uplinks[0], 4);
  const PlatformSpec over = parse_platform_spec("leaf-spine:16x48,spines=4");
  EXPECT_EQ(over.description(),
            "leaf-spine of 16 leaves with 48 hosts each and 4 spines, host links of 3.12 GB/s and 5.00 µs, uplinks of "
            "12.5 GB/s and 1.00 µs, 3:1 over-subscribed");
  expect_refusal("leaf-spine:16", {"shape '16'", "leaf switches x hosts", "16x32"});
  expect_refusal("leaf-spine:4x4x4", {"shape '4x4x4'"});
  expect_refusal("leaf-spine:4x4,spines=0", {"key 'spines'", "'0'"});
  expect_refusal("leaf-spine:4x4,up=2", {"key 'up'", "spines"});
  expect_refusal("leaf-spine:4x4,uplink-bandwidth=0Gbps", {"key 'uplink-bandwidth'", "above 0"});
  expect_refusal("leaf-spine:4x4,uplink-bandwidth=100 Gb", {"key 'uplink-bandwidth'", "'100 Gb'", "25Gbps"});
  expect_refusal("leaf-spine:4x1000000,uplink-bandwidth=1Bps", {"too many hosts"});
  expect_refusal("leaf-spine:4x100000,uplink-bandwidth=1Bps", {"key 'spines'", "too many switches"});
}

TEST(PlatformSpec, DragonflyNeedsGlobalPortsForAllGroups) {
  const PlatformSpec spec = parse_platform_spec("dragonfly:9x4x2");
  EXPECT_EQ(spec.hosts(), 72);
  EXPECT_EQ(spec.global_ports, 2);
  EXPECT_EQ(spec.global_cables(), 1);
  EXPECT_DOUBLE_EQ(spec.bandwidth_Bps, 25e9);
  EXPECT_DOUBLE_EQ(spec.between_switches.latency_s, 400e-9);
  EXPECT_DOUBLE_EQ(spec.between_groups.bandwidth_Bps, 25e9);
  EXPECT_DOUBLE_EQ(spec.between_groups.latency_s, 500e-9);
  EXPECT_EQ(parse_platform_spec("dragonfly:74x32x16,global=10").global_cables(), 4);
  EXPECT_EQ(parse_platform_spec("dragonfly:10x4x2").global_ports, 3) << "2 ports join 8 other groups only";
  EXPECT_EQ(parse_platform_spec("dragonfly:1x4x2").global_cables(), 0);
  EXPECT_EQ(
      parse_platform_spec("dragonfly:3x2x2,local-bandwidth=50GBps,global-latency=1us").description(),
      "dragonfly of 3 groups of 2 routers with 2 hosts each, links of 25.0 GB/s and 400 ns, in groups of 50.0 GB/s "
      "and 400 ns, between every two groups 2 cables of 25.0 GB/s and 1.00 µs");
  expect_refusal("dragonfly:9x4", {"shape '9x4'", "groups x routers in a group x hosts"});
  expect_refusal("dragonfly:10x4x2,global=2", {"key 'global'", "'2'", "at least 3 for 10 groups"});
  expect_refusal("dragonfly:9x4x0", {"shape", "'0'"});
  expect_refusal("dragonfly:9x4x2,global=-1", {"key 'global'", "'-1'"});
  expect_refusal("dragonfly:9x4x2,uplink-bandwidth=1GBps", {"key 'uplink-bandwidth'", "Known:", "global-bandwidth"});
  expect_refusal("dragonfly:1x16384x1", {"too many cables"});
}

TEST(PlatformSpec, SaysWhatIsInsideAHost) {
  for (const char* family :
       {"torus:4x4", "fat-tree:4x4", "leaf-spine:4x4", "dragonfly:3x2x2", "ethernet:4", "crossbar:4"}) {
    const PlatformSpec bare = parse_platform_spec(family);
    EXPECT_FALSE(bare.inside.cores.has_value());
    EXPECT_FALSE(bare.inside.total_Bps.has_value());
    EXPECT_DOUBLE_EQ(bare.inside.link.bandwidth_Bps, kLoopbackBandwidth_Bps);
    EXPECT_DOUBLE_EQ(bare.inside.link.latency_s, kLoopbackLatency_s);
    const PlatformSpec spec = parse_platform_spec(
        std::string(family) + ",cores=8,inside=300GBps,inside-latency=2us,inside-total=1TBps,memory=64GiB");
    EXPECT_EQ(spec.inside.cores, 8);
    EXPECT_DOUBLE_EQ(spec.inside.link.bandwidth_Bps, 300e9);
    EXPECT_DOUBLE_EQ(spec.inside.link.latency_s, 2e-6);
    EXPECT_DOUBLE_EQ(spec.inside.total_Bps.value(), 1e12);
    EXPECT_TRUE(spec.description().ends_with(", 8 cores a host, inside of 300 GB/s and 2.00 µs, 1.00 TB/s in all"))
        << spec.description();
  }
  expect_refusal("torus:4x4,cores=0", {"key 'cores'", "'0'"});
  expect_refusal("torus:4x4,cores=8.5", {"key 'cores'", "'8.5'"});
  expect_refusal("torus:4x4,inside=300GB", {"key 'inside'", "'300GB'", "per second"});
  expect_refusal("torus:4x4,inside-latency=2", {"key 'inside-latency'", "'2'"});
  expect_refusal("node:4,cores=2", {"key 'cores'"});
}

TEST(PlatformSpec, DefaultsAreTheDocumentedOnes) {
  EXPECT_DOUBLE_EQ(parse_platform_spec("torus:4x4").bandwidth_Bps, 6e9);
  EXPECT_DOUBLE_EQ(parse_platform_spec("torus:4x4").latency_s, 400e-9);
  EXPECT_DOUBLE_EQ(parse_platform_spec("fat-tree:4x4").latency_s, 500e-9);
  EXPECT_DOUBLE_EQ(parse_platform_spec("ethernet:4").bandwidth_Bps, 10e9 / 8);
  EXPECT_DOUBLE_EQ(parse_platform_spec("ethernet:4").latency_s, 10e-6);
  EXPECT_FALSE(parse_platform_spec("ethernet:4").backbone_Bps.has_value());
  EXPECT_DOUBLE_EQ(parse_platform_spec("ethernet:4,backbone=40GBps").backbone_Bps.value(), 40e9);
  EXPECT_DOUBLE_EQ(parse_platform_spec("crossbar:4").latency_s, 2e-6);
  EXPECT_DOUBLE_EQ(parse_platform_spec("node:4").latency_s, kLoopbackLatency_s);
  EXPECT_DOUBLE_EQ(parse_platform_spec("node:4").bandwidth_Bps, kLoopbackBandwidth_Bps);
}

TEST(PlatformSpec, NamesTheNearestFamilyAndKey) {
  expect_refusal("tours:4x4", {"family 'tours'", "did you mean 'torus'"});
  expect_refusal("fattree:4x4", {"did you mean 'fat-tree'"});
  expect_refusal("leafspine:4x4", {"did you mean 'leaf-spine'"});
  expect_refusal("dragon-fly:3x2x2", {"did you mean 'dragonfly'"});
  expect_refusal("torus:4x4,bandwith=1GBps", {"key 'bandwith'", "did you mean 'bandwidth'"});
  expect_refusal("torus:4x4,up=4", {"key 'up'", "Known: bandwidth, latency, memory"});
  expect_refusal("crossbar:4,backbone=1GBps", {"key 'backbone'"});
  expect_refusal("node:4,backbone=1GBps", {"key 'backbone'"});
  expect_refusal("node:2x2", {"'2x2'", "one number"});
}

TEST(PlatformSpec, RefusesWrongNumbersUnitsAndRepetitions) {
  expect_refusal("torus:", {"shape", "''"});
  expect_refusal("torus:4x", {"shape", "''", "whole number"});
  expect_refusal("torus:4x0", {"shape", "'0'", "from 1"});
  expect_refusal("torus:4x-2", {"shape", "'-2'"});
  expect_refusal("torus:4x4.5", {"shape", "'4.5'"});
  expect_refusal("ethernet:4x4", {"shape '4x4'", "one number"});
  expect_refusal("torus:4x4,bandwidth=6 GB", {"key 'bandwidth'", "'6 GB'"});
  expect_refusal("torus:4x4,bandwidth=6e9", {"key 'bandwidth'", "'6e9'"});
  expect_refusal("torus:4x4,bw=0GBps", {"key 'bandwidth'", "'0GBps'"});
  expect_refusal("torus:4x4,latency=1", {"key 'latency'", "'1'"});
  expect_refusal("torus:4x4,latency=-1us", {"key 'latency'", "'-1us'"});
  expect_refusal("torus:4x4,memory=64", {"key 'memory'", "'64'"});
  expect_refusal("torus:4x4,latency", {"key 'latency'", "has no value"});
  expect_refusal("torus:4x4,", {"key ''"});
  expect_refusal("torus:4x4,bw=1GBps,bandwidth=2GBps", {"key 'bandwidth'", "twice"});
}

TEST(PlatformSpec, AllowsAMillionHostsAndNoMore) {
  EXPECT_EQ(parse_platform_spec("torus:128x128x64").hosts(), kMostHosts);
  expect_refusal("torus:128x128x65", {"too many hosts", "1048576"});
  expect_refusal("torus:16384x16384x16384x16384", {"too many hosts"});
  expect_refusal("torus:16385", {"ring of 16385", "at most 16384"});
  expect_refusal("ethernet:1048577", {"'1048577'"});
  expect_refusal("torus:2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2x2", {"too many cables"});
}

TEST(PlatformSpec, TellsSpecificationsFromFiles) {
  EXPECT_TRUE(is_platform_spec("torus:4x4"));
  EXPECT_TRUE(is_platform_spec("Nonsense:4"));
  EXPECT_FALSE(is_platform_spec("torus.xml"));
  EXPECT_FALSE(is_platform_spec("torus"));
  EXPECT_FALSE(is_platform_spec("folder/a:b.xml"));
  EXPECT_FALSE(is_platform_spec(":4"));
}

}  // namespace
}  // namespace simtrain
