// Are sweeps ranked, and does their text say which grid to take and why?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json.hpp"
#include "report/terminal.hpp"
#include "tests/support/report_text.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {
namespace {

SweepPoint point(int rows, int columns, double iteration_s) {
  Result result = sample_result();
  result.job.grid_rows = rows;
  result.job.grid_columns = columns;
  result.iteration_s = iteration_s;
  result.iteration_seconds = {iteration_s};
  return {.grid_rows = rows, .grid_columns = columns, .result = result, .error = ""};
}

// 2 x 4 is fastest (80 ms), then 4 x 2 (100 ms), then 1 x 8 (128 ms); 8 x 1 failed.
std::vector<SweepPoint> sample_sweep() {
  return {point(1, 8, 0.128),
          point(4, 2, 0.100),
          {.grid_rows = 8, .grid_columns = 1, .result = {}, .error = "no luck"},
          point(2, 4, 0.080)};
}

TEST(Sweep, RanksByIterationTime) {
  const std::string text = sweep_to_text(sample_sweep());
  const int first =
      line_with(text, {"1", "2 x 4", "80.000", "1.00", "800", "48.000", "22.000", "16.500", "17.400", "20.0 MiB"});
  const int second = line_with(text, {"2", "4 x 2", "100.000", "1.25", "640", "48.000"});
  const int third = line_with(text, {"3", "1 x 8", "128.000", "1.60", "500", "48.000"});
  EXPECT_GE(first, 0) << text;
  EXPECT_EQ(second, first + 1) << text;
  EXPECT_EQ(third, first + 2) << text;
  EXPECT_GT(line_with(text, {"8 x 1", "no luck"}), third) << text;
  EXPECT_GE(line_with(text, {"Sweep", "tiny", "batch 64", "8 ranks", "torus.xml"}), 0) << text;
  EXPECT_GE(line_with(text, {"Times in ms"}), 0) << text;
}

TEST(Sweep, SaysWhatToTake) {
  auto points = sample_sweep();
  for (LayerResult& layer : points[1].result->layers) layer.reduce_weights.paper_s = 0;  // the formula's favourite
  const std::string text = sweep_to_text(points);
  EXPECT_GE(line_with(text, {"Fastest: 2 x 4", "80.0 ms per iteration"}), 0) << text;
  EXPECT_GE(line_with(text, {"Pure data parallelism (1 x 8) is 60.0 % slower"}), 0) << text;
  EXPECT_GE(line_with(text, {"formula (8) would pick 4 x 2, which is 25.0 % slower in the simulation"}), 0) << text;
}

TEST(Sweep, MarksWhatDoesNotFit) {
  auto points = sample_sweep();
  EXPECT_EQ(sweep_to_text(points).find('!'), std::string::npos);
  points[3].result->memory.host = 16 * kMiB;  // the fastest needs 20
  const std::string text = sweep_to_text(points);
  EXPECT_GE(line_with(text, {"2 x 4", "80.000", "20.0 MiB", "!"}), 0) << text;
  EXPECT_EQ(line_with(text, {"4 x 2", "100.000", "!"}), -1) << text;
  EXPECT_GE(line_with(text, {"WARNING", "the fastest that does is 4 x 2"}), 0) << text;
}

TEST(Sweep, FitsThePageForLargeGrids) {
  auto points = sample_sweep();
  points.push_back(point(16384, 1, 40));
  points.back().result->job.batch = 1 << 20;
  points.back().error = "";
  points[2].error = std::string(300, 'e') + "\nand more";
  (void)lines_of(sweep_to_text(points));  // checks widths
  EXPECT_GE(line_with(sweep_to_text(points), {"16384 x 1"}), 0);
}

TEST(Sweep, WithoutAnyResultShowsReasons) {
  const std::string text = sweep_to_text({{.grid_rows = 3, .grid_columns = 1, .result = {}, .error = "too few hosts"}});
  EXPECT_GE(line_with(text, {"3 x 1", "too few hosts"}), 0) << text;
  EXPECT_EQ(sweep_to_text({}), "");
}

// 2 x 4 is faster than 4 x 2 in three of four replicas, and 1 x 8 the fastest of all in one of those three.
std::vector<SweepPoint> sweep_with_replicas() {
  auto points = sample_sweep();
  points[3].result->replicas = {1, 0.01, {0.080, 0.081, 0.082, 0.099}};
  points[1].result->replicas = {1, 0.01, {0.100, 0.101, 0.102, 0.098}};
  points[0].result->replicas = {1, 0.01, {0.128, 0.079, 0.130, 0.131}};
  return points;
}

TEST(Sweep, SaysHowSureTheRankingIs) {
  const std::string text = sweep_to_text(sweep_with_replicas());
  EXPECT_GE(line_with(text, {"Iteration time in 4 replicas (ms)"}), 0) << text;
  // Places 0.15, 1.5 and 2.85 of 80, 81, 82, 99.
  EXPECT_GE(line_with(text, {"1", "2 x 4", "80.000", "80.150", "81.500", "96.450", "50 %"}), 0) << text;
  EXPECT_GE(line_with(text, {"2", "4 x 2", "100.000", "98.300", "100.500", "101.850", "25 %"}), 0) << text;
  EXPECT_GE(line_with(text, {"3", "1 x 8", "128.000", "25 %"}), 0) << text;
  EXPECT_GE(line_with(text, {"2 x 4 beats 4 x 2 in 75 % of 4 replicas."}), 0) << text;
  EXPECT_EQ(line_with(sweep_to_text(sample_sweep()), {"replica"}), -1);
}

TEST(Sweep, JsonSaysHowSureTheRankingIs) {
  const auto document = nlohmann::json::parse(sweep_to_json(sweep_with_replicas()));
  const std::vector<double> shares{0.5, 0.25, 0.25};
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_DOUBLE_EQ(document["ranking"][i]["replicas"]["fastest_share"].get<double>(), shares[i]);
  EXPECT_DOUBLE_EQ(document["ranking"][0]["replicas"]["p5_s"].get<double>(), 0.08015);
  EXPECT_EQ(document["best_against_second"],
            (nlohmann::json{{"best", 3}, {"second", 1}, {"replicas", 4}, {"win_share", 0.75}}));
  EXPECT_FALSE(nlohmann::json::parse(sweep_to_json(sample_sweep())).contains("best_against_second"));
  EXPECT_FALSE(nlohmann::json::parse(sweep_to_json(sample_sweep()))["ranking"][0].contains("replicas"));
}

TEST(Sweep, EqualTimesCountForTheBetterPlaceAndBeatNobody) {
  auto points = sweep_with_replicas();
  for (const std::size_t i : {0U, 1U, 3U}) points[i].result->replicas->iteration_seconds = {0.1, 0.1};
  const auto document = nlohmann::json::parse(sweep_to_json(points));
  EXPECT_EQ(document["ranking"][0]["replicas"]["fastest_share"], 1.0);
  EXPECT_EQ(document["ranking"][1]["replicas"]["fastest_share"], 0.0);
  EXPECT_EQ(document["best_against_second"]["win_share"], 0.0);
}

TEST(Sweep, JsonHasPointsAndRanking) {
  const auto points = sample_sweep();
  const auto document = nlohmann::json::parse(sweep_to_json(points));
  EXPECT_EQ(document.at("schema"), "simtrain-sweep");
  EXPECT_EQ(document.at("schema_version"), 1);
  ASSERT_EQ(document.at("points").size(), 4U);
  EXPECT_EQ(document["points"][2].at("error"), "no luck");
  EXPECT_FALSE(document["points"][2].contains("result"));
  EXPECT_EQ(result_from_json("point", document["points"][1].at("result").dump()), *points[1].result);

  ASSERT_EQ(document.at("ranking").size(), 3U);
  const std::vector<int> order{3, 1, 0};
  const std::vector<double> relative{1.0, 1.25, 1.6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(document["ranking"][i].at("point"), order[i]);
    EXPECT_DOUBLE_EQ(document["ranking"][i].at("relative_to_best").get<double>(), relative[i]);
    EXPECT_EQ(document["ranking"][i].at("fits_memory"), true);
  }
}

}  // namespace
}  // namespace simtrain
