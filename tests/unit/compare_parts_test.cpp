// Kinds of exchanges, collectives and links of two results: are they set beside each other rightly?
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "report/compare.hpp"
#include "tests/support/compared_results.hpp"

namespace simtrain {
namespace {

TEST(Compare, KnowsRedistribution) {
  const Result ours = with_redistribution(sample_result());
  Result theirs = ours;
  theirs.layers[1].redistribute.seconds.mean = 0.008;
  const Comparison comparison = compare({"a.json", ours}, {"b.json", theirs});
  const Contrast& all = comparison.phases[static_cast<std::size_t>(Phase::redistribute)];
  EXPECT_DOUBLE_EQ(all.reference_s, 0.005);
  EXPECT_DOUBLE_EQ(all.other_s, 0.008);
  EXPECT_NEAR(comparison.communication.difference_s(), 0.003, 1e-12);
  EXPECT_EQ(comparison.differences.front().layer, comparison.differences.front().phase ? "b" : "");
  EXPECT_NE(comparison_to_json(comparison).find("\"redistribute\""), std::string::npos);
  EXPECT_THROW((void)compare({"a.json", ours}, native()), InputError);
}

TEST(Compare, KnowsSumsOfOutputs) {
  const Result ours = with_columns(sample_result());
  Result theirs = ours;
  theirs.layers[1].reduce_output.seconds.mean = 0.004;
  theirs.layers[1].reduce_output.reduction_s = 0.0015;
  const Comparison comparison = compare({"a.json", ours}, {"b.json", theirs});
  EXPECT_DOUBLE_EQ(comparison.phases[static_cast<std::size_t>(Phase::reduce_output)].difference_s(), 0.001);
  EXPECT_NEAR(comparison.communication.difference_s(), 0.001, 1e-12);
  EXPECT_NEAR(comparison.adding.difference_s(), 0.0005, 1e-12);
  EXPECT_NE(comparison_to_json(comparison).find("\"reduce_output\""), std::string::npos);
  EXPECT_THROW((void)compare({"a.json", ours}, native()), InputError);
}

TEST(Compare, KnowsHalos) {
  const Result ours = with_halo(sample_result());
  Result theirs = ours;
  theirs.layers[0].halo.seconds.mean = 0.005;
  const Comparison comparison = compare({"a.json", ours}, {"b.json", theirs});
  EXPECT_DOUBLE_EQ(comparison.phases[static_cast<std::size_t>(Phase::halo)].difference_s(), 0.003);
  EXPECT_NEAR(comparison.communication.difference_s(), 0.003, 1e-12);
  EXPECT_NE(comparison_to_json(comparison).find("\"halo\""), std::string::npos);
  EXPECT_THROW((void)compare({"a.json", ours}, native()), InputError);
}

// Of 80 ms the busiest x+ of the sample is in use for 0.2 x 70 ms.
TEST(Compare, RanksLinksByTheirUse) {
  NamedResult a = simulated(), b = simulated();
  a.result = with_machine(a.result);
  b.result = with_machine(b.result);
  b.result.iteration_s = 0.1;
  b.result.iteration_seconds = {0.1};
  b.result.links->classes = {{"y+", 4, 7 * kMiB, 0.1, 0.3}, {"x+", 4, 1 * kMiB, 0.05, 0.15}};
  const std::vector<LinkContrast> links = compare(a, b).links;
  ASSERT_EQ(links.size(), 2U);  // x- carries nothing in either
  EXPECT_EQ(links[0].name, "y+");
  expect_contrast(links[0].busiest, 0, 30);
  EXPECT_EQ(links[0].other_bytes, 7 * kMiB);
  EXPECT_EQ(links[1].name, "x+");
  expect_contrast(links[1].busiest, 14, 15);
  EXPECT_EQ(links[1].reference_bytes, 3 * kMiB);
}

// all-reduce dW: 6 + 0.5 ms, of which alpha-beta 4.5 + 1.5; with 3 ms more in layer a 1 ms of it by the schedule.
TEST(Compare, SetsSchedulesApartFromWhatIsBeyond) {
  NamedResult other = simulated();
  other.result.layers[0].reduce_weights.seconds.mean += 3 * kMs;
  other.result.layers[0].reduce_weights.alpha_beta_s += 1 * kMs;
  const Comparison comparison = compare(simulated(), other);
  ASSERT_EQ(comparison.collectives.size(), 3U);
  EXPECT_EQ(comparison.collectives[0].phase, Phase::reduce_weights);
  expect_contrast(comparison.collectives[0].seconds, 6.5, 9.5);
  expect_contrast(comparison.collectives[0].alpha_beta, 6, 7);
  EXPECT_TRUE(compare(native(), simulated()).collectives.empty());
}

}  // namespace
}  // namespace simtrain
