// Are phases folded over ranks and iterations as the result says, within bounded memory?
#include "train/phase_log.hpp"

#include <gtest/gtest.h>

#include "tests/support/small_networks.hpp"
#include "train/summary.hpp"

namespace simtrain {
namespace {

using Quantity = PhaseLog::Quantity;
constexpr int kForward = phase_of(Work::forward);
constexpr int kReduceData = phase_of(Exchange::reduce_data);

Plan plan_of(Grid grid) {
  PlanOptions options;
  options.grid = grid;
  options.batch = 12;
  return make_plan(network_from_json("even mlp", kEvenMlp), options);
}

void expect_folded(const PhaseLog::Folded& folded, double min, double mean, double max) {
  EXPECT_DOUBLE_EQ(folded.min, min);
  EXPECT_DOUBLE_EQ(folded.mean, mean);
  EXPECT_DOUBLE_EQ(folded.max, max);
}

TEST(PhaseLog, HasThePhasesOfThePlan) {
  const PhaseLog grid(plan_of({2, 2}), 1), alone(plan_of({1, 1}), 1);
  for (int row = 0; row < 3; ++row)
    for (int phase = 0; phase < kRowPhases; ++phase) {
      EXPECT_EQ(alone.has(row, phase), phase <= phase_of(Work::update)) << row << " " << phase;
      const bool exchanged = phase < phase_of(Exchange::redistribute) && (row > 0 || phase != kReduceData);
      EXPECT_EQ(grid.has(row, phase), exchanged) << row << " " << phase;  // no dX for the first
    }
}

// Two ranks, three iterations of 1, 2, 6 s on one and 3, 4, 8 s on the other: means 2, 3, 7.
TEST(PhaseLog, FoldsRanksAndIterations) {
  PhaseLog log(plan_of({2, 1}), 3);
  const double seconds[2][3] = {{1, 2, 6}, {3, 4, 8}};
  for (const auto& rank : seconds)
    for (int i = 0; i < 3; ++i) log.add(i, 1, kForward, rank[i], {10 + rank[i], 20 + rank[i]});
  expect_folded(log.folded(1, kForward, Quantity::seconds), 1, 4, 8);
  expect_folded(log.folded(1, kForward, Quantity::begin), 11, 14, 18);
  expect_folded(log.folded(1, kForward, Quantity::end), 21, 24, 28);
  EXPECT_EQ(log.sampled_means(1, kForward), (std::vector<double>{2, 3, 7}));
  expect_folded(log.folded(0, kForward, Quantity::seconds), 0, 0, 0);  // nothing was added
}

TEST(PhaseLog, TwoLogsBecomeOne) {
  PhaseLog ours(plan_of({2, 1}), 1), theirs(plan_of({2, 1}), 1);
  ours.add(0, 2, kReduceData, 1, {2, 3});
  theirs.add(0, 2, kReduceData, 2, {1, 4});
  for (std::size_t i = 0; i < ours.minima().size(); ++i) {
    ours.minima()[i] = std::min(ours.minima()[i], theirs.minima()[i]);
    ours.maxima()[i] = std::max(ours.maxima()[i], theirs.maxima()[i]);
  }
  for (std::size_t i = 0; i < ours.sums().size(); ++i) ours.sums()[i] += theirs.sums()[i];
  expect_folded(ours.folded(2, kReduceData, Quantity::seconds), 1, 1.5, 2);
  expect_folded(ours.folded(2, kReduceData, Quantity::begin), 1, 1.5, 2);
  expect_folded(ours.folded(2, kReduceData, Quantity::end), 3, 3.5, 4);
  EXPECT_EQ(ours.sampled_means(2, kReduceData), std::vector<double>{1.5});
}

TEST(PhaseLog, AMillionIterationsTakeNoMoreThanAThousand) {
  const Plan plan = plan_of({1, 1});
  PhaseLog long_job(plan, 1'000'000), short_job(plan, PhaseLog::kMostSamples), odd(plan, 2001);
  EXPECT_EQ(long_job.sums().size(), short_job.sums().size());
  for (std::int64_t i = 0; i < 2001; ++i) odd.add(i, 0, kForward, static_cast<double>(i), {0, 0});
  const std::vector<double> sampled = odd.sampled_means(0, kForward);  // 0, 3, ..., 1998
  ASSERT_EQ(sampled.size(), 667U);
  EXPECT_EQ(sampled[1], 3);
  EXPECT_EQ(sampled.back(), 1998);
  expect_folded(odd.folded(0, kForward, Quantity::seconds), 0, 1000, 2000);  // of all
}

TEST(PhaseLog, GoesIntoTheResult) {
  const Plan plan = plan_of({1, 1});
  PhaseLog log(plan, 2);
  for (int i = 0; i < 2; ++i)
    for (int row = 0; row < 3; ++row)
      for (const int phase : {0, 1, 2}) log.add(i, row, phase, 1 + i, {10.0 * row, 10.0 * row + 1 + i});
  Summary summary(plan);
  summary.add({.at = {},
               .iteration_seconds = {3, 6},
               .work_s = std::vector<std::array<double, kWorks>>(3),
               .exchanges = std::vector<std::array<RankExchange, kExchanges>>(3),
               .loss_sums = {}});
  const Result result = summary.finish(&log);
  ASSERT_EQ(result.layers[1].phases.size(), static_cast<std::size_t>(kPhases));
  const auto& update = result.layers[1].phases[static_cast<std::size_t>(Phase::update)];
  ASSERT_TRUE(update);
  EXPECT_EQ(update->seconds, (Spread{1, 1.5, 2}));
  EXPECT_DOUBLE_EQ(update->p5_s, 1.05);
  EXPECT_DOUBLE_EQ(update->median_s, 1.5);
  EXPECT_DOUBLE_EQ(update->p95_s, 1.95);
  EXPECT_EQ(update->begin_s, (Spread{10, 10, 10}));
  EXPECT_EQ(update->end_s, (Spread{11, 11.5, 12}));
  EXPECT_FALSE(result.layers[1].phases[static_cast<std::size_t>(Phase::all_gather)]);
  EXPECT_TRUE(summary.finish().layers[1].phases.empty());
}

// Two ranks that take turns to be early: 3 + 5 and 4 + 4 s, so the iterations end after 4 and 8 s.
TEST(Summary, IterationsGoFromEndToEnd) {
  const Plan plan = plan_of({1, 2});
  Summary summary(plan);
  for (const int column : {0, 1})
    summary.add({.at = {0, column},
                 .iteration_seconds = column == 0 ? std::vector<double>{3, 5} : std::vector<double>{4, 4},
                 .work_s = std::vector<std::array<double, kWorks>>(3),
                 .exchanges = std::vector<std::array<RankExchange, kExchanges>>(3),
                 .loss_sums = {}});
  const Result result = summary.finish();
  EXPECT_EQ(result.iteration_seconds, (std::vector<double>{4, 4}));
  EXPECT_EQ(result.iteration_s, 4);
}

// A flag for a network that has nothing to drop changes nothing.
TEST(Summary, DropoutIsThatOfTheNetwork) {
  for (const auto& [text, asked, drops] :
       {std::tuple{kJoins, true, true}, std::tuple{kJoins, false, false}, std::tuple{kEvenMlp, true, false}}) {
    PlanOptions options;
    options.batch = 8;
    options.dropout = asked;
    EXPECT_EQ(Summary(make_plan(network_from_json("network", text), options)).finish().job.dropout, drops);
  }
}

}  // namespace
}  // namespace simtrain
