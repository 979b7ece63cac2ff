// Do text, JSON and comparisons say what communication was hidden and what was exposed?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/compare.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "tests/support/report_text.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {
namespace {

constexpr double kMs = 1e-3;

// The sample with its weight gradients all-reduced in the background: of 6 ms of layer a 1 is exposed, of 2 of b 0.5.
// In ms: computing 48; communication 22, exposed 4 + 2 + 8 + 1 + 0.5 = 15.5, hidden 6.5; iteration 80.
Result overlapped() {
  Result result = sample_result();
  result.job.overlap = "gradients";
  result.job.progress = "polling";
  result.job.bucket_bytes = std::int64_t{25} << 20;
  for (LayerResult& layer : result.layers)
    for (const auto collective : {&LayerResult::all_gather, &LayerResult::reduce_data, &LayerResult::reduce_weights})
      (layer.*collective).exposed_s = (layer.*collective).seconds.mean;
  result.layers[0].reduce_weights.exposed_s = 1 * kMs;
  result.layers[1].reduce_weights.exposed_s = 0.5 * kMs;
  return result;
}

TEST(OverlapReport, AddsUpWhatWasHiddenAndExposed) {
  EXPECT_NEAR(overlapped().communication_s(), 22 * kMs, 1e-12);
  EXPECT_NEAR(overlapped().exposed_s(), 15.5 * kMs, 1e-12);
  EXPECT_NEAR(overlapped().hidden_s(), 6.5 * kMs, 1e-12);
  EXPECT_NEAR(sample_result().exposed_s(), 22 * kMs, 1e-12);  // without overlap: all of it
}

TEST(OverlapReport, TextSaysIt) {
  const std::string text = to_text(overlapped());
  EXPECT_GE(line_with(text, {"exposed", "communication", "15.5", "ms", "19.4", "%"}), 0) << text;       // of 80
  EXPECT_GE(line_with(text, {"hidden", "6.50", "ms", "29.5", "%", "of", "communication"}), 0) << text;  // of 22
  EXPECT_GE(line_with(text, {"neither", "16.5", "ms"}), 0) << text;  // 80 - 48 - 15.5
  EXPECT_NE(text.find("overlap gradients, progress polling, buckets of 25.0 MiB"), std::string::npos) << text;
  EXPECT_GE(line_with(text, {"a", "4.000", "6.000", "5.000"}), 0) << text;  // all-gather, all-reduce dW, exposed
  EXPECT_EQ(to_text(sample_result()).find("exposed"), std::string::npos);
}

TEST(OverlapReport, JsonKeepsIt) {
  const std::string text = to_json(overlapped());
  EXPECT_EQ(result_from_json("r.json", text), overlapped());
  const auto document = nlohmann::json::parse(text);
  EXPECT_EQ(document["job"]["overlap"], "gradients");
  EXPECT_EQ(document["job"]["progress"], "polling");
  EXPECT_EQ(document["job"]["bucket_bytes"], 26'214'400);
  EXPECT_NEAR(document["totals"]["exposed_s"].get<double>(), 15.5 * kMs, 1e-12);
  EXPECT_NEAR(document["totals"]["hidden_s"].get<double>(), 6.5 * kMs, 1e-12);
  EXPECT_EQ(document["layers"][0]["reduce_weights"]["exposed_s"], 1 * kMs);
  EXPECT_FALSE(nlohmann::json::parse(to_json(sample_result()))["totals"].contains("hidden_s"));
}

// Exposed communication is what takes time: 1 ms more of it is 1 ms of the iteration; hidden is told beside it.
TEST(OverlapReport, ComparisonsCountWhatWasExposed) {
  Result slower = overlapped();
  slower.layers[0].reduce_weights.exposed_s = 2 * kMs;
  slower.iteration_seconds = {81 * kMs};
  slower.iteration_s = 81 * kMs;
  Result once = overlapped();
  once.iteration_seconds = {80 * kMs};
  const Comparison comparison = compare({"a.json", once}, {"b.json", slower});
  EXPECT_NEAR(comparison.communication.reference_s, 15.5 * kMs, 1e-12);
  EXPECT_NEAR(comparison.communication.difference_s(), 1 * kMs, 1e-12);
  EXPECT_NEAR(comparison.hidden.reference_s, 6.5 * kMs, 1e-12);
  EXPECT_NEAR(comparison.hidden.other_s, 5.5 * kMs, 1e-12);
  EXPECT_NEAR(comparison.neither.difference_s(), 0, 1e-12);
  const std::string text = comparison_to_text(comparison);
  EXPECT_GE(line_with(text, {"exposed", "communication", "15.500", "16.500", "+1.000"}), 0) << text;
  EXPECT_NE(text.find("Hidden communication, in addition: 6.50 ms in a, 5.50 ms in b."), std::string::npos) << text;
  EXPECT_TRUE(nlohmann::json::parse(comparison_to_json(comparison))["sources"].contains("hidden"));
}

TEST(OverlapReport, OtherOverlapIsAnotherJobAndOtherProgressIsMentioned) {
  Result other = overlapped();
  other.job.overlap = "all";
  const std::vector<Mention> differences = compare({"a.json", overlapped()}, {"b.json", other}).job_differences;
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].what + " " + differences[0].other, "overlap all");
  other = overlapped();
  other.job.progress = "ideal";
  const Comparison comparison = compare({"a.json", overlapped()}, {"b.json", other});
  ASSERT_EQ(comparison.mentions.size(), 1U);
  EXPECT_EQ(comparison.mentions[0].what, "progress");
}

}  // namespace
}  // namespace simtrain
