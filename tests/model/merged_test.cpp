// How far is merged detail from every message, and from formulas where there are some? `./dev bench merged` has the
// whole table of iterations.
#include <gtest/gtest.h>

#include "sim/prediction/collective_job.hpp"
#include "tests/support/merged_cases.hpp"
#include "tests/support/values_in_child.hpp"

namespace simtrain {
namespace {

CollectiveJob ring_all_reduce(int processes, Detail detail) {
  CollectiveJob job;
  job.algorithm = Algorithm::ring;
  job.bytes = std::int64_t{64} << 20;
  job.processes = processes;
  job.platform = "torus:" + std::to_string(processes) + ",bandwidth=6GBps,latency=1us";
  job.detail = detail;
  return job;
}

// Seconds, alpha-beta seconds, messages.
std::vector<double> figures_of(const CollectiveJob& job) {
  return values_in_child([&]() -> std::vector<double> {
    const CollectiveFigures figures = simulate_collective(job);
    return {figures.seconds, figures.alpha_beta_s, static_cast<double>(figures.messages)};
  });
}

// 2 (P-1) (alpha + n/P/B) for n = 64 MiB on a ring of links of 1 us and 6 GB/s: 24.393776 ms for 1 024 processes,
// 30.554160 ms for 4 096; besides, SMPI adds an envelope of 16 bytes to each message.
void expect_ring_formula(int processes, double formula_s, Detail detail) {
  const auto found = figures_of(ring_all_reduce(processes, detail));
  ASSERT_EQ(found.size(), 3U);
  const double rounds = 2.0 * (processes - 1);
  const std::string what = std::to_string(processes) + " processes, " + std::string(name_of(detail));
  expect_ratio_near_one(what, formula_s + rounds * kEnvelopeBytes / 6e9, found[0], 1e-6);
  expect_ratio_near_one(what + ", formula", formula_s, found[1], 1e-6);
  EXPECT_EQ(found[2], rounds * processes);
}

TEST(MergedCollective, IsTheFormulaOnARing) {
  expect_ring_formula(1024, 24.393776e-3, Detail::merged);
  expect_ring_formula(4096, 30.554160e-3, Detail::merged);
}

TEST(MergedCollective, EveryMessageSaysTheSameOnARing) {
  expect_ring_formula(64, 126 * (1e-6 + 67'108'864.0 / 64 / 6e9), Detail::messages);
  expect_ring_formula(64, 126 * (1e-6 + 67'108'864.0 / 64 / 6e9), Detail::merged);
}

TEST(MergedCollective, ReportsItsTraffic) {
  CollectiveJob job = ring_all_reduce(12, Detail::messages);
  job.operation = CollectiveOp::all_gather;
  job.bytes = 48'000;
  const auto messages = figures_of(job);
  job.detail = Detail::merged;
  const auto merged = figures_of(job);
  ASSERT_EQ(messages.size(), 3U);
  ASSERT_EQ(merged.size(), 3U);
  EXPECT_EQ(messages[2], 12 * 11);
  EXPECT_EQ(merged[2], messages[2]);
}

// All messages go to the right, over links of half the bandwidth: 2 (P-1) (alpha + 2 (n/P + 16)/B). The formula knows
// of no slow parts.
TEST(MergedCollective, TakesLongerOnDegradedLinks) {
  for (const Detail detail : {Detail::messages, Detail::merged}) {
    CollectiveJob job = ring_all_reduce(16, detail);
    job.where.slow_parts.links = {{"x+ of *", 0.5}};
    const auto found = figures_of(job);
    ASSERT_EQ(found.size(), 3U);
    const double block = 67'108'864.0 / 16;
    expect_ratio_near_one("degraded", 30 * (1e-6 + 2 * (block + kEnvelopeBytes) / 6e9), found[0], 1e-6);
    expect_ratio_near_one("formula", 30 * (1e-6 + block / 6e9), found[1], 1e-6);
  }
}

// Two members on each host: half of the messages are its loopback's, the others go on as between neighbours; a round
// takes as long as its slowest message. Elsewhere at random, neighbours are further away and share links.
TEST(MergedCollective, TakesPlaceWhereItIsPut) {
  CollectiveJob job = ring_all_reduce(16, Detail::messages);
  job.platform = "torus:8,bandwidth=6GBps,latency=1us";
  job.where.ranks_per_host = 2;
  const auto two = figures_of(job);
  job.platform = "torus:16,bandwidth=6GBps,latency=1us";
  job.where = {};
  job.where.placement = parse_placement("--placement", "random:1");
  const auto random = figures_of(job);
  ASSERT_EQ(two.size(), 3U);
  ASSERT_EQ(random.size(), 3U);
  const double neighbours_s = 30 * (1e-6 + (67'108'864.0 / 16 + kEnvelopeBytes) / 6e9);
  expect_ratio_near_one("two on a host", neighbours_s, two[0], 1e-3);
  EXPECT_GT(random[0], 1.5 * neighbours_s);
}

class MergedIteration : public ::testing::TestWithParam<MergedCase> {};

TEST_P(MergedIteration, IsNearTheOneOfEveryMessage) {
  const auto run = [&](bool merged) {
    return values_in_child([&]() -> std::vector<double> { return {run_case(GetParam(), merged).iteration_s}; });
  };
  const auto messages = run(false), merged = run(true);
  ASSERT_EQ(messages.size(), 1U);
  ASSERT_EQ(merged.size(), 1U);
  expect_ratio_near_one(GetParam().text(), messages[0], merged[0], 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    Table, MergedIteration,
    ::testing::Values(MergedCase{"torus:4x4x4", {16, 4}, Algorithm::ring},
                      MergedCase{"torus:4x4x4", {4, 16}, Algorithm::ring, true},
                      MergedCase{"fat-tree:8x8,up=4", {8, 8}, Algorithm::ring, true},
                      MergedCase{"fat-tree:8x8,up=4", {16, 4}, Algorithm::rabenseifner},
                      MergedCase{"torus:4x4x4", {16, 4}, Algorithm::ring, false, 2.0},
                      MergedCase{"ethernet:64,bandwidth=25Gbps,latency=5us", {8, 8}, Algorithm::automatic},
                      MergedCase{"torus:4x4x4", {12, 5}, Algorithm::ring, false, 1, 1000}),
    [](const auto& at) { return "Case" + std::to_string(at.index); });

}  // namespace
}  // namespace simtrain
