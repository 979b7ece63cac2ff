// Are two results set beside each other rightly, and those refused that say nothing about each other?
#include "report/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "tests/support/compared_results.hpp"

namespace simtrain {
namespace {

void expect_contrast(const Contrast& contrast, double reference_ms, double other_ms) {
  EXPECT_NEAR(contrast.reference_s, reference_ms * kMs, 1e-12);
  EXPECT_NEAR(contrast.other_s, other_ms * kMs, 1e-12);
  EXPECT_NEAR(contrast.difference_s(), (other_ms - reference_ms) * kMs, 1e-12);
}

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

TEST(Compare, TheNativeOneIsTheReference) {
  const auto names = [](const NamedResult& a, const NamedResult& b) {
    const Comparison comparison = compare(a, b);
    return std::vector<std::string>{comparison.reference.label, comparison.reference.path, comparison.other.label,
                                    comparison.other.path};
  };
  const std::vector<std::string> expected{"native", "native.json", "simulated", "simulated.json"};
  EXPECT_EQ(names(native(), simulated()), expected);
  EXPECT_EQ(names(simulated(), native()), expected);
  NamedResult another = simulated();
  another.path = "another.json";
  EXPECT_EQ(names(simulated(), another), (std::vector<std::string>{"A", "simulated.json", "B", "another.json"}));
  EXPECT_EQ(names(native(), native()), (std::vector<std::string>{"A", "native.json", "B", "native.json"}));
  EXPECT_EQ(comparison_to_text(compare(native(), simulated())), comparison_to_text(compare(simulated(), native())));
}

TEST(Compare, RefusesEachKindOfDifferentJob) {
  struct Case {
    std::function<void(Result&)> change;
    std::string expected;
  };
  const std::vector<Case> cases{
      {[](Result& r) { r.job.network = "huge"; }, "network 'tiny' and 'huge'"},
      {[](Result& r) { r.job.batch = 65; }, "batch '64' and '65'"},
      {[](Result& r) { r.job.grid_rows = 2; }, "grid '4x2' and '2x2'"},
      {[](Result& r) { r.job.grid_columns = 3; }, "grid '4x2' and '4x3'"},
      {[](Result& r) { r.job.strategy = "domain"; }, "strategy 'uniform' and 'domain'"},
      {[](Result& r) { r.job.collectives = "ring"; }, "collectives 'auto' and 'ring'"},
      {[](Result& r) { r.job.gather = "before-pooling"; }, "gather 'after-pooling' and 'before-pooling'"},
      {[](Result& r) { r.job.momentum = 0; }, "momentum 'used' and 'none'"},
      {[](Result& r) { r.job.dropout = false; }, "dropout 'yes' and 'no'"},
      {[](Result& r) { r.layers.pop_back(); }, "number of layers '2' and '1'"},
      {[](Result& r) { r.layers[1].name = "c"; }, "layer 2 'b (linear 128 -> 10)' and 'c (linear 128 -> 10)'"},
      {[](Result& r) { r.layers[1].kind = "linear 128 -> 11"; }, "and 'b (linear 128 -> 11)'"},
      {[](Result& r) { r.layers[0].all_gather.algorithm = "bruck"; },
       "all-gather Y of a 'ring over 4' and 'bruck over 4'"},
      {[](Result& r) { r.layers[1].reduce_data = {.algorithm = "none", .seconds = {}, .bytes_sent = {}}; },
       "all-reduce dX of b 'ring over 4' and 'none'"},
      {[](Result& r) { r.layers[1].reduce_weights.group_size = 3; },
       "all-reduce dW of b 'bruck over 2' and 'bruck over 3'"}};
  for (const Case& one : cases) {
    NamedResult other = simulated();
    one.change(other.result);
    try {
      (void)compare(native(), other);
      ADD_FAILURE() << "not refused: " << one.expected;
    } catch (const InputError& error) {
      const std::string text = error.what();
      for (const std::string& part : {std::string("'native.json'"), std::string("'simulated.json'"), one.expected})
        EXPECT_NE(text.find(part), std::string::npos) << text;
      EXPECT_EQ(text.find(';'), text.rfind(';')) << "only what differs: " << text;
    }
  }
}

TEST(Compare, RefusalNamesAllThatDiffersInTheOrderGiven) {
  NamedResult other = simulated();
  other.result.job.batch = 128;
  other.result.job.grid_columns = 8;
  try {
    (void)compare(other, native());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "results 'simulated.json' and 'native.json' are of different jobs: batch '128' and '64'; grid '4x8' "
                 "and '4x2'; expected the same in both");
  }
}

TEST(Compare, MentionsWhatMayDiffer) {
  struct Case {
    std::function<void(Result&)> change;
    Mention expected;
  };
  const std::vector<Case> cases{
      {[](Result& r) { r.job.seed = 7; }, {"seed", "18446744073709551615", "7"}},
      {[](Result& r) { r.job.placement = "row-major"; }, {"placement", "column-major", "row-major"}},
      {[](Result& r) { r.job.numerics = "real"; }, {"numerics", "phantom", "real"}},
      {[](Result& r) { r.job.learning_rate = 0.2; }, {"learning rate", "0.1", "0.2"}},
      {[](Result& r) { r.job.momentum = 0.5; }, {"momentum", "0.9", "0.5"}},
      {[](Result& r) { r.job.weight_decay = 0; }, {"weight decay", "0.0005", "0"}},
      {[](Result& r) { r.job.iterations = 3; }, {"iterations", "2", "3"}},
      {[](Result& r) { r.job.warm_up = 0; }, {"warm-up", "1", "0"}},
      {[](Result& r) { r.job.data = "mnist"; }, {"data", "synthetic", "mnist"}},
      {[](Result& r) { r.job.shuffled = true; }, {"shuffling", "no", "yes"}},
      {[](Result& r) { r.job.learning_rate_schedule = "cosine"; }, {"learning-rate schedule", "constant", "cosine"}},
      {[](Result& r) { r.job.epoch_images = 1; }, {"images of an epoch", "6400", "1"}},
      {[](Result& r) { r.version = "1.2.4"; }, {"version", "1.2.3", "1.2.4"}},
      {[](Result& r) { r.platform->name = "mesh.xml"; }, {"platform", "torus.xml", "mesh.xml"}},
      {[](Result& r) { r.profile->name = "mine"; }, {"profile", "default", "mine"}},
      {[](Result& r) { r.profile->cpu = "Other CPU"; }, {"CPU", "Some CPU", "Other CPU"}},
      {[](Result& r) { r.profile->blas = "BLIS"; }, {"BLAS", "OpenBLAS 0.3.21", "BLIS"}},
      {[](Result& r) { r.profile->compute_scale = 2; }, {"compute scale", "1", "2"}}};
  for (const Case& one : cases) {
    NamedResult other = simulated();
    one.change(other.result);
    const Comparison comparison = compare(simulated(), other);
    ASSERT_EQ(comparison.mentions.size(), 1U) << one.expected.what;
    EXPECT_EQ(comparison.mentions[0].what, one.expected.what);
    EXPECT_EQ(comparison.mentions[0].reference, one.expected.reference);
    EXPECT_EQ(comparison.mentions[0].other, one.expected.other);
  }
  NamedResult loose = native();
  loose.result.native->binding = "not bound";
  loose.result.native->threads_per_rank = 2;
  const std::vector<Mention> mentions = compare(native(), loose).mentions;
  ASSERT_EQ(mentions.size(), 2U);
  EXPECT_EQ(mentions[0].what + mentions[0].reference + mentions[0].other, "threads per rank12");
  EXPECT_EQ(mentions[1].what, "binding");
  EXPECT_EQ(mentions[1].other, "not bound");
  // 0.9 is the same number after a detour through single precision.
  NamedResult rounded = simulated();
  rounded.result.job.momentum = static_cast<double>(0.9F);
  EXPECT_TRUE(compare(simulated(), rounded).mentions.empty());
}

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

TEST(Compare, TwoPredictionsMayBeOfDifferentJobs) {
  NamedResult other = simulated();
  other.path = "other.json";
  other.result.job.grid_rows = 2;
  other.result.job.grid_columns = 4;
  other.result.job.batch = 128;
  const Comparison comparison = compare(simulated(), other);
  EXPECT_EQ(comparison.reference.label, "4x2");
  EXPECT_EQ(comparison.other.label, "2x4");
  ASSERT_EQ(comparison.job_differences.size(), 2U);
  EXPECT_EQ(comparison.job_differences[0].what + " " + comparison.job_differences[0].other, "batch 128");
  EXPECT_EQ(comparison.job_differences[1].what + " " + comparison.job_differences[1].other, "grid 2x4");
  const std::string text = comparison_to_text(comparison);
  EXPECT_NE(text.find("4x2 trains 914 images/s, 2x4 1 829"), std::string::npos) << text;  // 64 and 128 in 70 ms
}

TEST(Compare, LabelsTellTwoPredictionsApartIfTheyAreShort) {
  const auto labels = [](const std::function<void(Result&)>& change) {
    NamedResult other = simulated();
    change(other.result);
    const Comparison comparison = compare(simulated(), other);
    return comparison.reference.label + " / " + comparison.other.label;
  };
  EXPECT_EQ(labels([](Result& r) { r.job.strategy = "domain"; }), "uniform / domain");
  EXPECT_EQ(labels([](Result& r) { r.job.batch = 32; }), "batch 64 / batch 32");
  EXPECT_EQ(labels([](Result& r) { r.platform->name = "fat-tree.xml"; }), "torus.xml / fat-tree.xml");
  EXPECT_EQ(labels([](Result& r) { r.job.strategy = "a:2x4; b:4x2; c:8x1"; }), "A / B");
  EXPECT_EQ(labels([](Result& r) { r.job.seed = 3; }), "A / B");
}

TEST(Compare, TwoPredictionsMustBeOfOneNetwork) {
  NamedResult other = simulated();
  other.result.layers[1].kind = "linear 128 -> 11";
  try {
    (void)compare(simulated(), other);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("of different networks: layer 2 'b (linear 128 -> 10)'"),
              std::string::npos)
        << error.what();
  }
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

TEST(Compare, MentionsPlacementRanksPerHostAndSlowParts) {
  NamedResult other = simulated();
  other.result = with_machine(other.result);
  other.result.job.placement = "random:7";
  const std::vector<Mention> mentions = compare(simulated(), other).mentions;
  ASSERT_EQ(mentions.size(), 3U);
  EXPECT_EQ(mentions[0].what + ": " + mentions[0].other, "placement: random:7");
  EXPECT_EQ(mentions[1].what + ": " + mentions[1].reference + ", " + mentions[1].other, "ranks per host: 1, 4");
  EXPECT_EQ(mentions[2].what + ": " + mentions[2].reference + ", " + mentions[2].other,
            "slow parts: none, 2 drawn hosts=0.5 (seed 7)");
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
