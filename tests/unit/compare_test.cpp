// Is the difference of two results worked out rightly, and each second of it told to be somebody's?
#include "report/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "tests/support/compared_results.hpp"

namespace simtrain {
namespace {

// Of the difference, the total of which is `comparison.iteration`, every second is somebody's.
void expect_adds_up(const Comparison& comparison) {
  double sum = 0, absolute = 0;
  for (const PhaseContrast& one : comparison.differences) {
    sum += one.seconds.difference_s();
    absolute += std::fabs(one.seconds.difference_s());
  }
  EXPECT_NEAR(sum, comparison.iteration.difference_s(), 1e-12);
  EXPECT_NEAR(absolute, comparison.absolute_difference_s, 1e-12);
}

TEST(Compare, WorksOutTotals) {
  const Comparison comparison = compare(native(), simulated());
  expect_contrast(comparison.iteration, 80, 70);
  expect_contrast(comparison.median, 80, 70);
  expect_contrast(comparison.least, 79, 70);
  expect_contrast(comparison.most, 81, 70);
  expect_contrast(comparison.computing, 48, 41.5);
  expect_contrast(comparison.communication, 22, 20.5);
  expect_contrast(comparison.neither, 10, 8);
  expect_contrast(comparison.adding, 3.5, 3.5);
  expect_contrast(comparison.imbalance, 1.5 * 48 - 48, 1.5 * 48 - 41.5);  // the means changed, the most loaded not
  expect_contrast(comparison.extrapolated, 0, 2.4);
  const std::vector<std::pair<double, double>> phases{{15, 15.5}, {30, 23}, {3, 3}, {6, 6}, {8, 8},
                                                      {8, 6.5},   {0, 0},   {0, 0}, {0, 0}};
  ASSERT_EQ(comparison.phases.size(), phases.size());
  for (std::size_t i = 0; i < phases.size(); ++i)
    expect_contrast(comparison.phases[i], phases[i].first, phases[i].second);
  EXPECT_NEAR(*comparison.iteration.relative_error(), -0.125, 1e-12);
  EXPECT_NEAR(*comparison.computing.relative_error(), -6.5 / 48, 1e-12);
}

TEST(Compare, RanksLayersAndPhases) {
  const Comparison comparison = compare(native(), simulated());
  struct Expected {
    std::string layer;
    std::optional<Phase> phase;
    double difference_ms, relative, share;
  };
  const std::vector<Expected> expected{{"a", Phase::backward, -7, -0.35, 0.7},
                                       {"", std::nullopt, -2, -0.2, 0.2},
                                       {"b", Phase::reduce_weights, -1.5, -0.75, 0.15},
                                       {"b", Phase::forward, 0.5, 0.1, -0.05}};
  // 2 layers x 6 phases but a's all-reduce dX, which there is none of, and neither.
  ASSERT_EQ(comparison.differences.size(), 12U);
  for (std::size_t i = 0; i < comparison.differences.size(); ++i) {
    const PhaseContrast& found = comparison.differences[i];
    if (i >= expected.size()) {
      EXPECT_EQ(found.seconds.difference_s(), 0) << found.layer;
      continue;
    }
    EXPECT_EQ(found.layer, expected[i].layer);
    EXPECT_EQ(found.phase, expected[i].phase);
    EXPECT_NEAR(found.seconds.difference_s(), expected[i].difference_ms * kMs, 1e-12);
    EXPECT_NEAR(*found.seconds.relative_error(), expected[i].relative, 1e-9);
    EXPECT_NEAR(*comparison.share(found.seconds), expected[i].share, 1e-9);
  }
  EXPECT_NEAR(comparison.absolute_difference_s, 11 * kMs, 1e-12);
  expect_adds_up(comparison);
}

TEST(Compare, MedianOfAnOddAndAnEvenNumber) {
  NamedResult odd = native(), even = simulated();
  odd.result.iteration_seconds = {0.3, 0.1, 0.2};
  even.result.iteration_seconds = {0.9, 0.2, 0.4, 0.3};
  const Comparison comparison = compare(odd, even);
  EXPECT_DOUBLE_EQ(comparison.median.reference_s, 0.2);
  EXPECT_DOUBLE_EQ(comparison.median.other_s, 0.35);
  EXPECT_DOUBLE_EQ(comparison.least.other_s, 0.2);
  EXPECT_DOUBLE_EQ(comparison.most.other_s, 0.9);
}

// Medians in ms, native -> simulated: iteration 80 -> 70, a backward 18 -> 13 (of means 20 -> 13), all else as the
// means: computing 46 -> 41.5, communication 22 -> 20.5, neither 12 -> 8.
TEST(Compare, UsesMediansWhereBothHaveThem) {
  NamedResult ours = native(), theirs = simulated();
  ours.result = with_phases(ours.result);
  theirs.result = with_phases(theirs.result);
  ours.result.iteration_seconds = {0.080, 0.079, 0.111};
  ours.result.iteration_s = 0.090;
  ours.result.layers[0].phases[static_cast<std::size_t>(Phase::backward)]->median_s = 18 * kMs;
  const Comparison comparison = compare(ours, theirs);
  EXPECT_TRUE(comparison.medians);
  expect_contrast(comparison.iteration, 80, 70);
  expect_contrast(comparison.mean, 90, 70);
  expect_contrast(comparison.computing, 46, 41.5);
  expect_contrast(comparison.communication, 22, 20.5);
  expect_contrast(comparison.neither, 12, 8);
  EXPECT_EQ(comparison.differences[0].layer, "a");
  expect_contrast(comparison.differences[0].seconds, 18, 13);
  expect_adds_up(comparison);

  // An all-reduce dW of 6 ms, 1 of them adding, that has 3 ms as median: 0.5 ms of them are adding.
  ours.result.layers[0].phases[static_cast<std::size_t>(Phase::reduce_weights)]->median_s = 3 * kMs;
  EXPECT_NEAR(compare(ours, theirs).adding.reference_s, 3 * kMs, 1e-12);

  theirs.result.layers[1].phases.clear();  // one that took time has none
  EXPECT_FALSE(compare(ours, theirs).medians);
  expect_contrast(compare(ours, theirs).iteration, 90, 70);
}

TEST(Compare, EqualResultsDifferInNothing) {
  const Comparison comparison = compare(simulated(), simulated());
  EXPECT_EQ(comparison.absolute_difference_s, 0);
  for (const PhaseContrast& one : comparison.differences) {
    EXPECT_EQ(one.seconds.difference_s(), 0);
    EXPECT_EQ(*one.seconds.relative_error(), 0);
    EXPECT_FALSE(comparison.share(one.seconds));
  }
  EXPECT_EQ(verdict(comparison), "B and A do not differ (70.0 ms against 70.0 ms per iteration).");
  const std::string text = comparison_to_text(comparison) + comparison_to_json(comparison);
  for (const char* bad : {"nan", "inf", "NaN"}) EXPECT_EQ(text.find(bad), std::string::npos) << text;
}

TEST(Compare, NothingIsDividedByZero) {
  NamedResult idle = native();
  for (LayerResult& layer : idle.result.layers) {
    layer.forward_s = layer.backward_s = layer.update_s = {};
    for (CollectiveResult* one : {&layer.all_gather, &layer.reduce_data, &layer.reduce_weights}) one->seconds = {};
  }
  idle.result.iteration_seconds = {0};
  idle.result.iteration_s = 0;
  for (const auto& [a, b] : {std::pair{idle, simulated()}, std::pair{idle, idle}}) {
    const Comparison comparison = compare(a, b);
    EXPECT_FALSE(comparison.iteration.relative_error());
    expect_adds_up(comparison);
    const std::string text = comparison_to_text(comparison) + comparison_to_json(comparison);
    for (const char* bad : {"nan", "inf", "NaN"}) EXPECT_EQ(text.find(bad), std::string::npos) << text;
  }
  EXPECT_EQ(verdict(compare(idle, simulated())), "native takes no time, simulated 70.0 ms.");
}

}  // namespace
}  // namespace simtrain
