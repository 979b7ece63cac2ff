// The space of a sweep, and who takes which part of it.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "base/error.hpp"
#include "sim/sweep/share.hpp"
#include "sim/sweep/space.hpp"

namespace simtrain {
namespace {

using Words = std::vector<std::string>;

Words texts(const std::vector<Grid>& grids) {
  Words texts;
  for (const Grid grid : grids) texts.push_back(to_string(grid));
  return texts;
}

TEST(SweptGrids, AreAllOfTheProcessesOrThoseThatPatternsChoose) {
  EXPECT_EQ(texts(swept_grids({"6"}, {})), (Words{"1x6", "2x3", "3x2", "6x1"}));
  EXPECT_EQ(texts(swept_grids({"6"}, {"all"})), (Words{"1x6", "2x3", "3x2", "6x1"}));
  EXPECT_EQ(texts(swept_grids({"16", "32"}, {"*x8"})), (Words{"2x8", "4x8"}));
  EXPECT_EQ(texts(swept_grids({"16", "32"}, {"4x*", "*X8", "1x16"})), (Words{"1x16", "2x8", "4x4", "4x8"}));
  EXPECT_EQ(texts(swept_grids({}, {"4x2", "3x7", "4X2"})), (Words{"4x2", "3x7"}));
}

void expect_refusal(const Words& processes, const Words& patterns, const Words& parts) {
  try {
    (void)swept_grids(processes, patterns);
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(SweptGrids, RefuseWhatMatchesNothingOrIsNoGrid) {
  expect_refusal({}, {}, {"--processes", "missing"});
  expect_refusal({}, {"*x8"}, {"--grids", "*x8", "--processes"});
  expect_refusal({"16"}, {"32x8"}, {"--grids", "32x8", "16"});
  expect_refusal({"6"}, {"*x4"}, {"*x4", "matches no grid of 6"});
  for (const char* wrong : {"*", "8", "*x0", "axb", "*x8x2", "-1x*", ""}) expect_refusal({"16"}, {wrong}, {"--grids"});
  expect_refusal({"0"}, {}, {"--processes", "0"});
}

TEST(SweepSpace, NumbersItsPointsWithTheGridFastest) {
  const SweepSpace space{{{"network", {"a", "b"}}, {"batch", {""}}, {"platform", {"p", "q", "r"}}}, {{1, 4}, {2, 2}}};
  ASSERT_EQ(space.size(), 12U);
  std::set<Words> all;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const SpacePoint point = space.point(i);
    EXPECT_EQ(point.number, i);
    Words words = point.values;
    words.push_back(to_string(point.grid));
    all.insert(words);
  }
  EXPECT_EQ(all.size(), 12U) << "each combination once";
  EXPECT_EQ(space.point(0).values, (Words{"a", "", "p"}));
  EXPECT_EQ(space.point(1).grid, (Grid{2, 2}));
  EXPECT_EQ(space.point(7).values, (Words{"b", "", "p"}));
  EXPECT_EQ(space.point(11).values, (Words{"b", "", "r"}));
}

Environment environment(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(ParseShare, ReadsNumbersAndLaunchers) {
  const Environment nothing = environment({});
  EXPECT_EQ(parse_share("2/8", nothing), (Share{2, 8}));
  EXPECT_TRUE(parse_share("0/1", nothing).whole());
  for (const char* wrong : {"8/8", "-1/8", "1", "1/0", "a/b", "1/2/3", "", "/", "0/2000000"})
    EXPECT_THROW((void)parse_share(wrong, nothing), InputError) << wrong;
  EXPECT_THROW((void)parse_share("auto", nothing), InputError);
  EXPECT_EQ(parse_share("auto", environment({{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "5"}})),
            (Share{3, 5}));
  EXPECT_EQ(parse_share("auto", environment({{"PMI_RANK", "0"}, {"PMI_SIZE", "5"}})), (Share{0, 5}));
  EXPECT_EQ(parse_share("auto", environment({{"SLURM_PROCID", "6"}, {"SLURM_NTASKS", "8"}})), (Share{6, 8}));
}

TEST(ParseShare, CountsTheMembersOfAJobArrayAndTheirTasks) {
  std::map<std::string, std::string> member{{"SLURM_ARRAY_TASK_ID", "14"},
                                            {"SLURM_ARRAY_TASK_MIN", "10"},
                                            {"SLURM_ARRAY_TASK_STEP", "2"},
                                            {"SLURM_ARRAY_TASK_COUNT", "4"}};  // 10, 12, 14, 16
  EXPECT_EQ(parse_share("auto", environment(member)), (Share{2, 4}));
  member["SLURM_PROCID"] = "1";
  member["SLURM_NTASKS"] = "3";
  EXPECT_EQ(parse_share("auto", environment(member)), (Share{7, 12}));
  // Within an allocation mpirun's ranks count, not the one daemon that Slurm started.
  EXPECT_EQ(parse_share("auto", environment({{"OMPI_COMM_WORLD_RANK", "2"},
                                             {"OMPI_COMM_WORLD_SIZE", "4"},
                                             {"SLURM_PROCID", "0"},
                                             {"SLURM_NTASKS", "1"}})),
            (Share{2, 4}));
  member["SLURM_ARRAY_TASK_ID"] = "99";
  EXPECT_THROW((void)parse_share("auto", environment(member)), InputError);
}

TEST(PointsOf, DealEachPointOnceAndTheCostEvenly) {
  std::vector<double> costs;
  for (int i = 0; i < 60; ++i) costs.push_back(1 + i % 7);
  costs[17] = 40;
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  std::multiset<std::size_t> taken;
  double least = all, most = 0;
  for (std::int64_t i = 0; i < 4; ++i) {
    double mine = 0;
    for (const std::size_t point : points_of({i, 4}, costs)) {
      taken.insert(point);
      mine += costs[point];
    }
    least = std::min(least, mine);
    most = std::max(most, mine);
  }
  EXPECT_EQ(taken.size(), 60U);
  EXPECT_EQ(std::set<std::size_t>(taken.begin(), taken.end()).size(), 60U);
  // The greedy rule ends with loads that differ by no more than the last points dealt cost.
  EXPECT_LE(most - least, 7);
  EXPECT_EQ(points_of({0, 1}, costs).size(), 60U);
  EXPECT_TRUE(points_of({2, 3}, {1, 1}).empty()) << "more shares than points";
}

TEST(FileOf, NamesTheShare) {
  EXPECT_EQ(file_of({2, 8}, "out/grids.jsonl"), "out/grids.2-of-8.jsonl");
  EXPECT_EQ(file_of({0, 2}, "grids"), "grids.0-of-2");
  EXPECT_EQ(file_of({0, 1}, "grids.jsonl"), "grids.jsonl");
}

}  // namespace
}  // namespace simtrain
