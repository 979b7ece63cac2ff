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
  expect_refusal("torus:1048576x1048576x1048576x1048576", {"too many hosts"});
  expect_refusal("ethernet:1048577", {"'1048577'"});
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
