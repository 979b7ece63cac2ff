// Are sweeps ranked, and does their text say which grid to take and why?
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json.hpp"
#include "report/sweep.hpp"
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
  return {.grid_rows = rows, .grid_columns = columns, .values = {}, .result = result, .error = ""};
}

SweepPoint without_result(int rows, int columns, const std::string& error) {
  return {.grid_rows = rows, .grid_columns = columns, .values = {}, .result = {}, .error = error};
}

// 2 x 4 is fastest (80 ms), then 4 x 2 (100 ms), then 1 x 8 (128 ms); 8 x 1 failed.
Sweep sample_sweep() {
  return {.dimensions = {},
          .points = {point(1, 8, 0.128), point(4, 2, 0.100), without_result(8, 1, "no luck"), point(2, 4, 0.080)}};
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
  Sweep sweep = sample_sweep();
  for (LayerResult& layer : sweep.points[1].result->layers)
    layer.reduce_weights.paper_s = 0;  // the formula's favourite
  const std::string text = sweep_to_text(sweep);
  EXPECT_GE(line_with(text, {"Fastest: 2 x 4", "80.0 ms per iteration"}), 0) << text;
  EXPECT_GE(line_with(text, {"Pure data parallelism (1 x 8) is 60.0 % slower"}), 0) << text;
  EXPECT_GE(line_with(text, {"formula (8) would pick 4 x 2, which is 25.0 % slower in the simulation"}), 0) << text;
}

TEST(Sweep, FitsThePageForLargeGrids) {
  Sweep sweep = sample_sweep();
  sweep.points.push_back(point(16384, 1, 40));
  sweep.points[2].error = std::string(300, 'e') + "\nand more";
  (void)lines_of(sweep_to_text(sweep));  // checks widths
  EXPECT_GE(line_with(sweep_to_text(sweep), {"16384 x 1"}), 0);
}

TEST(Sweep, WithoutAnyResultShowsReasons) {
  const std::string text = sweep_to_text({.dimensions = {}, .points = {without_result(3, 1, "too few hosts")}});
  EXPECT_GE(line_with(text, {"3 x 1", "too few hosts"}), 0) << text;
  EXPECT_EQ(sweep_to_text({}), "");
}

// 2 x 4 is faster than 4 x 2 in three of four replicas, and 1 x 8 the fastest of all in one of those three.
Sweep sweep_with_replicas() {
  Sweep sweep = sample_sweep();
  std::vector<SweepPoint>& points = sweep.points;
  points[3].result->replicas = {1, 0.01, {0.080, 0.081, 0.082, 0.099}};
  points[1].result->replicas = {1, 0.01, {0.100, 0.101, 0.102, 0.098}};
  points[0].result->replicas = {1, 0.01, {0.128, 0.079, 0.130, 0.131}};
  return sweep;
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
  Sweep sweep = sweep_with_replicas();
  for (const std::size_t i : {0U, 1U, 3U}) sweep.points[i].result->replicas->iteration_seconds = {0.1, 0.1};
  const auto document = nlohmann::json::parse(sweep_to_json(sweep));
  EXPECT_EQ(document["ranking"][0]["replicas"]["fastest_share"], 1.0);
  EXPECT_EQ(document["ranking"][1]["replicas"]["fastest_share"], 0.0);
  EXPECT_EQ(document["best_against_second"]["win_share"], 0.0);
}

TEST(Sweep, JsonHasPointsAndRanking) {
  const Sweep sweep = sample_sweep();
  const auto document = nlohmann::json::parse(sweep_to_json(sweep));
  EXPECT_FALSE(document.contains("dimensions")) << "nothing but grids varies";
  EXPECT_EQ(document.at("schema"), "simtrain-sweep");
  EXPECT_EQ(document.at("schema_version"), 2);
  ASSERT_EQ(document.at("points").size(), 4U);
  EXPECT_EQ(document["points"][2].at("error"), "no luck");
  EXPECT_FALSE(document["points"][2].contains("result"));
  EXPECT_EQ(result_from_json("point", document["points"][1].at("result").dump()), *sweep.points[1].result);

  ASSERT_EQ(document.at("ranking").size(), 3U);
  const std::vector<int> order{3, 1, 0};
  const std::vector<double> relative{1.0, 1.25, 1.6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(document["ranking"][i].at("point"), order[i]);
    EXPECT_DOUBLE_EQ(document["ranking"][i].at("relative_to_best").get<double>(), relative[i]);
    EXPECT_EQ(document["ranking"][i].at("fits_memory"), true);
  }
}

// Two platforms and two batches on 2 x 4 and 4 x 2: eight points, the first platform's first batch without results.
Sweep wide_sweep() {
  Sweep sweep;
  sweep.dimensions = {{"network", {"tiny"}}, {"batch", {"64", "128"}}, {"platform", {"torus.xml", "fat-tree.xml"}}};
  int i = 0;
  for (const std::string& batch : sweep.dimensions[1].values)
    for (const std::string& platform : sweep.dimensions[2].values)
      for (const int rows : {2, 4}) {
        SweepPoint one = point(rows, 8 / rows, 0.1 + 0.01 * i++);
        one.values = {"tiny", batch, platform};
        one.result->job.batch = std::stoi(batch);
        if (batch == "64" && platform == "torus.xml") {
          one.result.reset();
          one.error = "too few hosts";
        }
        sweep.points.push_back(one);
      }
  return sweep;
}

// Iterations of 120 and 130 ms for 64 images, 140 to 170 ms for 128: an image takes 1.875, 2.03, 1.09 to 1.33 ms.
TEST(WideSweep, IsRankedByTheSecondsOfAnImage) {
  const std::string text = sweep_to_text(wide_sweep());
  const int first = line_with(text, {"1", "128", "torus.xml", "2 x 4", "140.00", "1.00"});
  EXPECT_GE(first, 0) << text;
  EXPECT_EQ(line_with(text, {"4", "128", "fat-tree.xml", "4 x 2", "170.00", "1.21"}), first + 3) << text;
  EXPECT_EQ(line_with(text, {"5", "64", "fat-tree.xml", "2 x 4", "120.00", "1.71"}), first + 4) << text;
  EXPECT_GE(line_with(text, {"differ: ranked by images/s"}), 0) << text;
  EXPECT_GE(line_with(text, {"Sweep of batch sizes, platforms, grids Pr x Pc: tiny, 8 ranks"}), 0) << text;
  EXPECT_GE(line_with(text, {"Fastest: batch 128, torus.xml, 2 x 4"}), 0) << text;
  EXPECT_GE(line_with(text, {"#", "batch", "platform", "grid", "iteration"}), 0) << text;
  EXPECT_EQ(line_with(text, {"network"}), -1) << "it does not vary: " << text;
  EXPECT_EQ(line_with(text, {"ranks", "grid"}), -1) << "nor do they: " << text;
  EXPECT_GE(line_with(text, {"batch 64, torus.xml, 2 x 4; batch 64, torus.xml, 4 x 2: too few hosts"}), 0) << text;
}

TEST(WideSweep, JsonHasTheDimensionsThatVary) {
  const auto document = nlohmann::json::parse(sweep_to_json(wide_sweep()));
  EXPECT_EQ(document["dimensions"],
            (nlohmann::json{{"batch", {"64", "128"}}, {"platform", {"torus.xml", "fat-tree.xml"}}}));
  EXPECT_EQ(document["ranking"][0]["point"], 4);
  EXPECT_EQ(document["ranking"][0]["batch"], 128);
  EXPECT_EQ(document["ranking"][0]["platform"], "torus.xml");
  EXPECT_FALSE(document["ranking"][0].contains("network"));
  EXPECT_DOUBLE_EQ(document["ranking"][4]["relative_to_best"].get<double>(), (0.12 / 64) / (0.14 / 128));
  EXPECT_EQ(document["points"][1]["error"], "too few hosts");
}

TEST(WideSweep, ReplicasAreComparedByTheSecondsOfAnImage) {
  Sweep sweep = wide_sweep();
  for (SweepPoint& one : sweep.points)
    if (one.result) one.result->replicas = {1, 0.01, {one.result->iteration_s}};
  const auto document = nlohmann::json::parse(sweep_to_json(sweep));
  EXPECT_EQ(document["ranking"][0]["replicas"]["fastest_share"], 1.0);
  EXPECT_EQ(document["best_against_second"]["win_share"], 1.0);
}

TEST(WideSweep, NamesTheFastestOfEachNetwork) {
  Sweep sweep = wide_sweep();
  sweep.dimensions[0].values = {"tiny", "huge"};
  sweep.points[7].values[0] = "huge";
  const std::string text = sweep_to_text(sweep);
  EXPECT_GE(line_with(text, {"Fastest of tiny: tiny, batch 128, torus.xml, 2 x 4"}), 0) << text;
  EXPECT_GE(line_with(text, {"Fastest of huge: huge, batch 128, fat-tree.xml, 4 x 2"}), 0) << text;
}

// Every dimension varies, and its values are as long, or as strange, as names can be.
TEST(WideSweep, FitsThePageWhateverVaries) {
  const std::vector<std::string> keys{"network", "batch", "platform", "placement", "collectives", "strategy"};
  const std::string hostile = "<script>alert('x')</script>\n\x1b[31m, \"quoted\"";
  Sweep sweep;
  for (const std::string& key : keys)
    sweep.dimensions.push_back({key, key == "batch"
                                         ? std::vector<std::string>{"64", "128"}
                                         : std::vector<std::string>{hostile, key + " " + std::string(120, 'p')}});
  for (std::size_t i = 0; i < 2; ++i) {
    SweepPoint one = point(8 << i, 4096, 0.1 + 0.01 * static_cast<double>(i));
    for (const SweepDimension& dimension : sweep.dimensions) one.values.push_back(dimension.values[i]);
    sweep.points.push_back(one);
  }
  sweep.points.push_back(sweep.points[0]);
  sweep.points[2].result.reset();
  sweep.points[2].error = "no luck";
  const std::string text = sweep_to_text(sweep);
  (void)lines_of(text);  // checks widths
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "no control characters";
  EXPECT_GE(line_with(text, {"#", "network", "batch", "platform", "placement", "collectives", "strategy", "grid"}), 0);
  EXPECT_GE(line_with(text, {"platform 1", "<script>alert('x')</script>"}), 0) << text;
  EXPECT_GE(line_with(text, {"strategy 2", "strategy"}), 0) << text;
  EXPECT_GE(line_with(text, {"1  1", "64", "8 x 4096"}), 0) << text;  // a batch is shorter than its heading: as it is
  EXPECT_EQ(text.find("  batch 1 "), std::string::npos) << text;
}

TEST(WideSweep, TellsWhatWasSkippedAndWhy) {
  Sweep sweep = sample_sweep();
  sweep.points[1].result.reset();
  sweep.points[1].skipped = true;
  sweep.points[1].lower_bound_s = 0.09;
  sweep.points[3].lower_bound_s = 0.07;
  const std::string text = sweep_to_text(sweep);
  EXPECT_GE(line_with(text, {"Skipped, since they cannot be the fastest"}), 0) << text;
  EXPECT_GE(line_with(text, {"4 x 2", "at least 90.0 ms per iteration"}), 0) << text;
  const auto document = nlohmann::json::parse(sweep_to_json(sweep));
  EXPECT_EQ(document["points"][1],
            (nlohmann::json{{"grid_rows", 4}, {"grid_columns", 2}, {"lower_bound_s", 0.09}, {"skipped", true}}));
  EXPECT_EQ(document["points"][3]["lower_bound_s"], 0.07);
  EXPECT_EQ(document["ranking"].size(), 2U);
}

// By the rules of RFC 4180, without a parser of ours.
TEST(SweepCsv, HasALineForEachPointWithQuotedFields) {
  Sweep sweep = wide_sweep();
  sweep.dimensions[2].values[0] = "torus:4x2,latency=\"1us\"";
  for (SweepPoint& one : sweep.points)
    if (one.values[2] == "torus.xml") one.values[2] = sweep.dimensions[2].values[0];
  const std::string text = sweep_to_csv(sweep);
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  ASSERT_EQ(lines.size(), 9U);
  EXPECT_TRUE(
      lines[0].starts_with("place,network,batch,platform,ranks,grid_rows,grid_columns,iteration_s,relative_to_best"))
      << lines[0];
  EXPECT_TRUE(lines[1].starts_with("1,tiny,128,\"torus:4x2,latency=\"\"1us\"\"\",8,2,4,0.14,1,")) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(",,ranked,")) << lines[1];
  EXPECT_TRUE(lines[8].starts_with(",tiny,64,\"torus:")) << lines[8];
  EXPECT_TRUE(lines[8].ends_with(",impossible,too few hosts")) << lines[8];
  const auto commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  for (const std::string& line : lines)
    EXPECT_EQ(commas(line) - (line.find("torus:") != std::string::npos ? 1 : 0), commas(lines[0])) << line;
}

}  // namespace
}  // namespace simtrain
