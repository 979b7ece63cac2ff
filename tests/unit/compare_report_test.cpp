// Does a comparison say where the difference comes from, in text and JSON?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/compared_results.hpp"
#include "tests/support/report_text.hpp"

namespace simtrain {
namespace {

bool has_line(const std::string& text, const std::vector<std::string>& words) { return line_with(text, words) >= 0; }

TEST(Verdict, NamesTheMainCauses) {
  EXPECT_EQ(verdict(compare(native(), simulated())),
            "simulated takes 12.5 % less time than native (70.0 ms against 80.0 ms per iteration): a backward -7.00 ms "
            "and what is neither computing nor communication -2.00 ms explain 90 % of it.");
}

// a backward +12 ms, b all-reduce dX -4 ms: 8 ms in all, 10 %.
TEST(Verdict, SaysWhatWorksAgainstIt) {
  NamedResult slow = native();
  slow.result.layers[0].backward_s.mean += 12 * kMs;
  slow.result.layers[1].reduce_data.seconds.mean -= 4 * kMs;
  slow.result.iteration_seconds = {88 * kMs};
  slow.result.iteration_s = 88 * kMs;
  EXPECT_EQ(verdict(compare(native(), slow)),
            "B takes 10.0 % more time than A (88.0 ms against 80.0 ms per iteration): a backward +12.0 ms explains "
            "150 % of it, all else -4.00 ms.");
}

// 40 layers of 1 ms backward each against 1.5 ms: no single one explains more than a fortieth.
TEST(Verdict, AddsUpPhasesWhereNoLayerStandsOut) {
  NamedResult reference = native();
  LayerResult layer = reference.result.layers[0];
  layer.forward_s = layer.update_s = {};
  layer.backward_s = {.min = kMs, .mean = kMs, .max = kMs};
  layer.all_gather.seconds = layer.reduce_weights.seconds = {};
  reference.result.layers.assign(40, layer);
  reference.result.iteration_seconds = {40 * kMs};
  reference.result.iteration_s = 40 * kMs;
  NamedResult other = reference;
  for (LayerResult& one : other.result.layers) one.backward_s.mean = 1.5 * kMs;
  other.result.iteration_seconds = {60 * kMs};
  other.result.iteration_s = 60 * kMs;
  const Comparison comparison = compare(reference, other);
  EXPECT_EQ(verdict(comparison),
            "B takes 50.0 % more time than A (60.0 ms against 40.0 ms per iteration): backward of all layers +20.0 ms "
            "explains 100 % of it.");
  // The table ends with what it leaves out: 10 layers of 1 and 1.5 ms.
  EXPECT_TRUE(has_line(comparison_to_text(comparison), {"others", "10 phases", "10.000", "15.000", "+5.000", "25.0 %"}))
      << comparison_to_text(comparison);
}

TEST(Verdict, SaysThatDifferencesCancel) {
  NamedResult other = native();
  other.result.layers[0].backward_s.mean += 8 * kMs;
  other.result.layers[1].reduce_data.seconds.mean -= 7.5 * kMs;
  other.result.iteration_seconds = {80.5 * kMs};
  other.result.iteration_s = 80.5 * kMs;
  const Comparison comparison = compare(native(), other);
  EXPECT_TRUE(comparison.cancels());
  EXPECT_FALSE(comparison.share(comparison.computing));
  const std::string text = verdict(comparison);
  EXPECT_NE(text.find("B takes 0.6 % more time than A"), std::string::npos) << text;
  EXPECT_NE(text.find("but +8.00 ms and -7.50 ms cancel: a backward +8.00 ms and all-reduce dX of b -7.50 ms."),
            std::string::npos)
      << text;
  EXPECT_TRUE(
      has_line(comparison_to_text(comparison), {"a", "backward", "20.000", "28.000", "+8.000", "+40.0 %", "-"}));
}

TEST(Text, ShowsBothSidesAndWhereTheDifferenceComesFrom) {
  const std::string text = comparison_to_text(compare(simulated(), native()));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"Comparison: tiny, batch 64, grid Pr x Pc = 4 x 2, collectives auto"},
           {"native", "native.json", "node-9", "Open MPI 4.1.4", "2 timed iterations"},
           {"simulated", "simulated.json", "torus.xml", "default", "node-7"},
           {"reference", "native"},
           {"not alike", "platform node-9 (Some CPU) / torus.xml; placement none / column-major"},
           {"mean", "80.000", "70.000", "-10.000", "-12.5 %"},
           {"most", "81.000", "70.000", "-11.000", "-13.6 %"},
           {"simulated takes 12.5 % less time than native"},
           {"computing", "48.000", "41.500", "-6.500", "-13.5 %", "65.0 %"},
           {"forward", "15.000", "15.500", "+0.500", "+3.3 %", "-5.0 %"},
           {"communication", "22.000", "20.500", "-1.500", "-6.8 %", "15.0 %"},
           {"of it messages, waiting", "18.500", "17.000", "-1.500"},
           {"of it adding", "3.500", "3.500", "-", "0.0 %", "0.0 %"},
           {"neither", "10.000", "8.000", "-2.000", "-20.0 %", "20.0 %"},
           {"iteration", "80.000", "70.000", "-10.000", "-12.5 %", "100.0 %"},
           {"neither: the iteration is the slowest rank's"},
           {"slowest rank computes 24.0 ms above the mean in native, 30.5 ms in simulated"},
           {"5.78 % of the computing of simulated (2.40 ms) is extrapolated"},
           {"a", "backward", "20.000", "13.000", "-7.000", "-35.0 %", "70.0 %"},
           {"b", "all-reduce dW", "2.000", "0.500", "-1.500", "-75.0 %", "15.0 %"}})
    EXPECT_TRUE(has_line(text, words)) << words.front() << " in\n" << text;
  EXPECT_NE(text.find("b, whose computing differs by +500 µs"), std::string::npos) << text;
}

TEST(Text, ShowsWhatIsNotAlike) {
  NamedResult other = simulated();
  other.result.job.seed = 7;
  other.result.profile->cpu = "Other CPU";
  const std::string text = comparison_to_text(compare(simulated(), other));
  EXPECT_TRUE(has_line(text, {"not alike", "seed 18446744073709551615 / 7; CPU Some CPU / Other CPU"})) << text;
  EXPECT_TRUE(has_line(text, {"WARNING: computing is of a different CPU: Some CPU in A, Other CPU in B."})) << text;
  EXPECT_EQ(comparison_to_text(compare(simulated(), simulated())).find("not alike"), std::string::npos);
}

// Median 80 ms, mean 96 ms.
TEST(Text, SaysHowSteadyTheIterationsAre) {
  NamedResult noisy = native();
  noisy.result.iteration_seconds = {79 * kMs, 80 * kMs, 129 * kMs};
  noisy.result.iteration_s = 96 * kMs;
  const std::string text = comparison_to_text(compare(noisy, simulated()));
  EXPECT_TRUE(has_line(text, {"Iterations of native vary from 79.0 ms to 129 ms."})) << text;
  EXPECT_TRUE(has_line(text, {"mean of native", "is 20.0 % above the median"})) << text;
  EXPECT_EQ(comparison_to_text(compare(native(), simulated())).find("vary"), std::string::npos);
}

TEST(Text, SaysThatItComparesMedians) {
  NamedResult ours = native(), theirs = simulated();
  ours.result = with_phases(ours.result);
  theirs.result = with_phases(theirs.result);
  const Comparison comparison = compare(ours, theirs);
  const std::string text = comparison_to_text(comparison);
  EXPECT_TRUE(has_line(text, {"12.5 % less time than native (median 70.0 ms against 80.0 ms per iteration)"})) << text;
  EXPECT_TRUE(has_line(text, {"Where it comes from (ms per iteration, mean over ranks, median over iterations)"}));
  EXPECT_EQ(nlohmann::json::parse(comparison_to_json(comparison)).at("compared_by"), "median");
}

TEST(Text, FitsThePageWhateverTheNamesAndTimes) {
  NamedResult a = native(), b = simulated();
  a.path = std::string(300, 'p') + ".json";
  for (NamedResult* one : {&a, &b}) {
    one->result.layers[0].name = std::string(200, 'l');
    one->result.job.network = std::string(150, 'n');
    for (LayerResult& layer : one->result.layers) layer.backward_s.mean *= 1e6;
    one->result.iteration_s = 5e4;
    one->result.iteration_seconds = {5e4};
  }
  b.result.layers[1].all_gather.seconds.mean = 1e5;
  b.result.iteration_s = 2e5;
  (void)lines_of(comparison_to_text(compare(a, b)));  // checks widths
  EXPECT_TRUE(has_line(comparison_to_text(compare(a, b)), {"b", "all-gather Y", "100000", ">+9999 %"}));
}

TEST(Json, HoldsTheSameFigures) {
  const auto document = nlohmann::json::parse(comparison_to_json(compare(simulated(), native())));
  EXPECT_EQ(document.at("schema"), "simtrain-comparison");
  EXPECT_EQ(document.at("schema_version"), 4);
  EXPECT_EQ(document.at("compared_by"), "mean");
  EXPECT_EQ(document["reference"].at("file"), "native.json");
  EXPECT_EQ(document["other"].at("label"), "simulated");
  EXPECT_NEAR(document["iteration"]["mean"].at("difference_s").get<double>(), -10 * kMs, 1e-12);
  EXPECT_NEAR(document["sources"]["backward"].at("share").get<double>(), 0.7, 1e-9);
  EXPECT_NEAR(document["sources"]["extrapolated"].at("other_s").get<double>(), 2.4 * kMs, 1e-12);
  EXPECT_TRUE(document["sources"]["extrapolated"].at("relative_error").is_null());
  ASSERT_EQ(document.at("differences").size(), 12U);
  const auto& first = document["differences"][0];
  EXPECT_EQ(first.at("layer"), "a");
  EXPECT_EQ(first.at("phase"), "backward");
  EXPECT_NEAR(first.at("relative_error").get<double>(), -0.35, 1e-9);
  EXPECT_TRUE(document["differences"][1].at("layer").is_null());
  EXPECT_EQ(document["differences"][1].at("phase"), "neither");
  EXPECT_EQ(document["differences"][2].at("phase"), "reduce_weights");
  EXPECT_EQ(document.at("verdict"), verdict(compare(native(), simulated())));
  const auto equal = nlohmann::json::parse(comparison_to_json(compare(native(), native())));
  EXPECT_TRUE(equal["differences"][0].at("share").is_null());
  EXPECT_TRUE(equal.at("not_alike").empty());
}

}  // namespace
}  // namespace simtrain
