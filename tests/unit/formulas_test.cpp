// Are the formulas those of Gholami et al., arXiv 1712.04432? Against values worked out here from the paper's table of
// AlexNet, step by step, at alpha = 2 us, 1/beta = 6 GB/s, words of 4 bytes, B = 2048.
#include "train/formulas.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/error.hpp"
#include "tests/support/analytic_cost.hpp"
#include "train/cost_table.hpp"

namespace simtrain {
namespace {

constexpr AlphaBeta kNetwork{2e-6, 1 / 6e9};
constexpr double kAlpha = 2e-6, kBeta = 4 / 6e9;  // seconds a word
constexpr double kBatch = 2048;
constexpr double kSame = 1e-12;  // relative

// |W| and d before and after pooling.
constexpr std::array<double, 8> kWeights{34'848, 307'200, 884'736, 663'552, 442'368, 37'748'736, 16'777'216, 4'096'000};
constexpr double kAllWeights = 60'954'656;  // their sum
constexpr std::array<double, 8> kBefore{290'400, 186'624, 64'896, 64'896, 43'264, 4'096, 4'096, 1'000};
constexpr std::array<double, 8> kAfter{69'984, 43'264, 64'896, 64'896, 9'216, 4'096, 4'096, 1'000};
constexpr double kAllBefore = 659'272, kAllAfter = 261'448;

Network alexnet() { return load_network(SOURCE_DIR "/scenarios/networks/alexnet.json"); }
std::vector<FormulaLayer> layers(Gather d = Gather::before_pooling) { return formula_layers(alexnet(), d); }

void expect_same(double found, double expected) { EXPECT_NEAR(found / expected, 1, kSame) << found << " " << expected; }

TEST(Formula, LayersAreThePapersTable) {
  const auto before = layers(), after = layers(Gather::after_pooling);
  ASSERT_EQ(before.size(), 8U);
  double weights = 0, all_before = 0, all_after = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(before[i].weights, kWeights[i]) << before[i].name;
    EXPECT_EQ(before[i].d, kBefore[i]) << before[i].name;
    EXPECT_EQ(after[i].d, kAfter[i]) << before[i].name;
    EXPECT_EQ(before[i].convolution, i < 5) << before[i].name;
    weights += kWeights[i];
    all_before += kBefore[i];
    all_after += kAfter[i];
  }
  EXPECT_EQ(weights, kAllWeights);
  EXPECT_EQ(all_before, kAllBefore);
  EXPECT_EQ(all_after, kAllAfter);
}

// P = 512: log P = 9. 8 layers x 9 x 2 us = 144 us of latency.
TEST(Formula, Number3IsAnAllGatherAndAnAllReduceOfEveryOutput) {
  // beta B (P-1)/P d: 4/6e9 x 2048 x 511/512 = 1.362666... us a value; of 659 272 values 898.37 ms, three times 2.695
  // s.
  expect_same(kBeta * 2048 * 511 / 512, 1.36266666666666667e-6);
  expect_same(formula_3_model(layers(), kBatch, 512, kNetwork), 3 * (144e-6 + 1.36266666666666667e-6 * kAllBefore));
  expect_same(formula_3_model(layers(Gather::after_pooling), kBatch, 512, kNetwork),
              3 * (144e-6 + 1.36266666666666667e-6 * kAllAfter));
}

TEST(Formula, Number4IsAnAllReduceOfAllWeights) {
  // 144 us, and 60 954 656 words x 4 bytes / 6 GB/s x 511/512 = 40.557 ms; twice: 81.402 ms.
  expect_same(formula_4_batch(layers(), 512, kNetwork), 2 * (144e-6 + 60'954'656 * 4 / 6e9 * 511 / 512));
  EXPECT_NEAR(formula_4_batch(layers(), 512, kNetwork), 0.081402, 1e-6);
  EXPECT_EQ(formula_4_batch(layers(), 1, kNetwork), 0);
}

TEST(Formula, Number6IsOneAllGather) {
  // conv5 after pooling, 9216 values: 9 x 2 us + 1.36266... us x 9216 = 18 us + 12.558336 ms.
  expect_same(formula_6_redistribution(layers(Gather::after_pooling)[4], kBatch, 512, kNetwork), 18e-6 + 12.558336e-3);
}

TEST(Formula, Number7IsHalosAndWeights) {
  // conv1: 11 x 11, 5 halo rows of 227 x 3 in and 55 x 96 out; conv2: 2 of 27 x 96 and 27 x 256; conv3 to conv5: 1 of
  // 13 x C, C = 256 -> 384 -> 384 -> 256. P = 8: log P = 3.
  const double in = 227 * 3 * 5 + 27 * 96 * 2 + 13 * 256 + 13 * 384 + 13 * 384;
  const double out = 55 * 96 * 5 + 27 * 256 * 2 + 13 * 384 + 13 * 384 + 13 * 256;
  const double weights = 34'848 + 307'200 + 884'736 + 663'552 + 442'368;
  auto convolutions = layers();
  convolutions.resize(5);
  const double batch = 512;
  const double expected = 5 * kAlpha + kBeta * batch * in + 5 * kAlpha + kBeta * batch * out +
                          2 * (5 * 3 * kAlpha + kBeta * 7 / 8 * weights);
  expect_same(formula_7_domain(convolutions, batch, 8, kNetwork), expected);
}

// 16 x 32: log Pr = 4, log Pc = 5, B/Pc = 64.
TEST(Formula, Number8OnAGrid) {
  const auto before = layers();
  double gathers = 0, reductions = 0, weights = 0;
  for (const FormulaLayer& layer : before) {
    const ExchangeSeconds term = formula_8_integrated(layer, kBatch, {16, 32}, kNetwork);
    gathers += term[Exchange::all_gather];
    reductions += term[Exchange::reduce_data];
    weights += term[Exchange::reduce_weights];
    EXPECT_EQ(term[Exchange::redistribute], 0);
  }
  // Latencies 8 x 4 x 2 us = 64 us; 64 samples x 15/16 = 60 words for each of 659 272 values.
  const double gather = 64e-6 + 60 * 659'272 * 4 / 6e9;  // 26.435 ms
  expect_same(gathers, gather);
  expect_same(reductions, 2 * gather);
  // 8 x 5 x 2 us = 80 us; 31/32 of a sixteenth of the weights: 60 954 656 x 31/512 = 3 690 613.9 words, 2.4604 ms.
  expect_same(weights, 2 * (80e-6 + 60'954'656.0 * 31 / 512 * 4 / 6e9));
  EXPECT_NEAR(gathers + reductions + weights, 0.084386, 1e-6);  // above pure batch's 81.4 ms, whatever figure 6 shows
  // fc6 alone: 3 (8 us + 60 x 4096 words) + 2 (10 us + 37 748 736 x 31/512 words).
  expect_same(formula_8_integrated(before[5], kBatch, {16, 32}, kNetwork).total(),
              3 * (8e-6 + 60 * 4096 * kBeta) + 2 * (10e-6 + 37'748'736.0 * 31 / 512 * kBeta));
}

TEST(Formula, Number8IsNumber3OnOneColumnAndNumber4OnOneRow) {
  double column = 0, row = 0;
  for (const FormulaLayer& layer : layers()) {
    column += formula_8_integrated(layer, kBatch, {64, 1}, kNetwork).total();
    row += formula_8_integrated(layer, kBatch, {1, 64}, kNetwork).total();
  }
  expect_same(column, formula_3_model(layers(), kBatch, 64, kNetwork));
  expect_same(row, formula_4_batch(layers(), 64, kNetwork));
}

// 64 x 8, B = 512 (figure 10): strips of 64 samples; fully connected layers on the grid.
TEST(Formula, Number9PutsThemTogether) {
  auto all = layers();
  const std::vector<FormulaLayer> convolutions(all.begin(), all.begin() + 5), others(all.begin() + 5, all.end());
  double expected = formula_7_domain(convolutions, 512.0 / 8, 512, kNetwork);
  for (const FormulaLayer& layer : others) expected += formula_8_integrated(layer, 512, {64, 8}, kNetwork).total();
  expect_same(formula_9_all(others, convolutions, 512, {64, 8}, kNetwork), expected);
  // Its weights' part: all of the convolutions' 2 332 704 over 512 ranks.
  const double halos =
      10 * kAlpha + kBeta * 64 * (227 * 3 * 5 + 27 * 96 * 2 + 13 * 1024 + 55 * 96 * 5 + 27 * 512 + 13 * 1024);
  expect_same(formula_7_domain(convolutions, 64, 512, kNetwork),
              halos + 2 * (5 * 9 * kAlpha + 2'332'704 * kBeta * 511 / 512));
}

TEST(Formula, OfAPlanTakesEachLayersGrid) {
  PlanOptions options;
  options.grid = {16, 32};
  options.batch = 2048;
  options.strategy.kind = Strategy::Kind::conv_batch;
  const auto rows = paper_cost(make_plan(alexnet(), options), kNetwork);
  ASSERT_EQ(rows.size(), 8U);
  for (std::size_t i = 0; i < 5; ++i) expect_same(rows[i].total(), 2 * (9 * kAlpha + kBeta * 511 / 512 * kWeights[i]));
  expect_same(rows[5].total(), formula_8_integrated(layers()[5], 2048, {16, 32}, kNetwork).total());
}

// (9): images in 2 strips, 512 columns of a sample each.
TEST(Formula, OfAPlanWithStripsIsThat9) {
  PlanOptions options;
  options.grid = {64, 16};
  options.batch = 512;
  options.strategy.kind = Strategy::Kind::domain;
  const auto rows = paper_cost(make_plan(alexnet(), options), kNetwork);
  ASSERT_EQ(rows.size(), 8U);
  // conv2: two lines of 27 pixels of 96 channels forward, of 256 back; its weights over all 1024.
  expect_same(rows[1][Exchange::halo], 2 * kAlpha + kBeta * 27 * 2 * (96 + 256));
  expect_same(rows[1][Exchange::reduce_weights], 2 * (10 * kAlpha + kBeta * 1023 / 1024 * 307'200));
  EXPECT_EQ(rows[1][Exchange::all_gather], 0);
  expect_same(rows[6].total(), formula_8_integrated(layers()[6], 512, {64, 16}, kNetwork).total());
  double sum = 0;
  for (const ExchangeSeconds& row : rows) sum += row.total();
  const std::vector<FormulaLayer> all = layers();
  expect_same(sum, formula_7_domain({all.begin(), all.begin() + 5}, 1, 1024, kNetwork) +
                       formula_8_integrated(all[5], 512, {64, 16}, kNetwork).total() +
                       formula_8_integrated(all[6], 512, {64, 16}, kNetwork).total() +
                       formula_8_integrated(all[7], 512, {64, 16}, kNetwork).total());
}

// A pair on 16 x 32, 64 samples a column, log Pr = 4: fc6 without the all-gather of its 4 096 values, which (8) prices
// at 8 us + 60 words a value, fc7 with two such for its sum and nothing else over Pr.
TEST(Formula, OfAPlanWithAPair) {
  PlanOptions options;
  options.grid = {16, 32};
  options.batch = 2048;
  options.strategy.kind = Strategy::Kind::pair;
  const auto rows = paper_cost(make_plan(alexnet(), options), kNetwork);
  ASSERT_EQ(rows.size(), 8U);
  const double gather = 8e-6 + 60 * 4096 * kBeta, weights = 2 * (10e-6 + 16'777'216.0 * 31 / 512 * kBeta);
  EXPECT_EQ(rows[5][Exchange::all_gather], 0);
  expect_same(rows[5][Exchange::reduce_data], 2 * gather);
  expect_same(rows[6][Exchange::reduce_output], 2 * gather);
  expect_same(rows[6][Exchange::reduce_weights], weights);
  expect_same(rows[6].total(), 2 * gather + weights);
  expect_same(rows[7].total(), formula_8_integrated(layers()[7], 2048, {16, 32}, kNetwork).total());
}

CostTable table_of(int processes, Strategy::Kind kind, std::int64_t batch = 2048,
                   Algorithm algorithm = Algorithm::automatic) {
  PlanOptions options;
  options.batch = batch;
  options.strategy.kind = kind;
  options.algorithm = algorithm;
  return cost_table(alexnet(), options, processes, kNetwork);
}

const GridCost& at(const CostTable& table, Grid grid) {
  for (const GridCost& cost : table.grids)
    if (cost.grid == grid) return cost;
  throw InputError("no such grid");
}

// Figure 7: convolutions on 1 x P, fully connected layers on the grid. The printed ratios are 5 to 8 % below what (8)
// gives with the table above.
TEST(CostTable, HasFigure7sWinners) {
  struct Printed {
    int processes;
    Grid best;
    double speed_up;  // of communication, over pure batch
  };
  for (const Printed& printed :
       {Printed{8, {4, 2}, 2.5}, Printed{32, {8, 4}, 3.9}, Printed{128, {16, 8}, 6.4}, Printed{512, {32, 16}, 9.7}}) {
    const CostTable table = table_of(printed.processes, Strategy::Kind::conv_batch);
    EXPECT_EQ(to_string(table.grids.front().grid), to_string(printed.best));
    const double ratio =
        at(table, {1, printed.processes}).formula_8_s.before_s / table.grids.front().formula_8_s.before_s;
    EXPECT_NEAR(ratio / printed.speed_up, 1, 0.1) << printed.processes;
    EXPECT_DOUBLE_EQ(at(table, {1, printed.processes}).formula_8_s.before_s, *table.formula_4_s);
  }
}

// Figure 10: convolutions in P/512 strips, fully connected layers on the grid, beside those on strips x 512 as well.
// The printed ratios are 3 to 4 % below what (9) gives.
TEST(CostTable, HasFigure10sRatios) {
  struct Printed {
    int processes;
    double speed_up;  // of communication, over the panel's first bar
  };
  for (const Printed& printed : {Printed{512, 13.9}, Printed{1024, 7.8}, Printed{2048, 4.7}, Printed{4096, 2.9}}) {
    const CostTable table = table_of(printed.processes, Strategy::Kind::domain, 512);
    const GridCost& first = at(table, {printed.processes / 512, 512});
    ASSERT_TRUE(first.impossible.empty());
    EXPECT_NEAR(first.formula_8_s.before_s / table.grids.front().formula_8_s.before_s / printed.speed_up, 1, 0.05)
        << printed.processes;
    if (printed.processes == 512) continue;  // one strip: (8)
    EXPECT_EQ(first.formula_9_s, first.formula_8_s.before_s);
    // Out of strips, whatever the grid: the layer before fc6 on all ranks.
    expect_same(at(table, {printed.processes / 512, 512}).formula_6_s.after_s,
                formula_6_redistribution(layers(Gather::after_pooling)[4], 512, printed.processes, kNetwork));
  }
}

// Figure 6 does not follow from (8) with true d_i: 4 x 128 is best, and 16 x 32 worse than pure batch.
TEST(CostTable, DoesNotHaveFigure6sWinner) {
  const CostTable table = table_of(512, Strategy::Kind::uniform);
  EXPECT_EQ(to_string(table.grids.front().grid), "4x128");
  EXPECT_GT(at(table, {16, 32}).formula_8_s.before_s, at(table, {1, 512}).formula_8_s.before_s);
}

TEST(CostTable, SchedulesOfPureBatchAreRabenseifners) {
  const CostTable table = table_of(512, Strategy::Kind::uniform);
  // 2 x 9 messages a layer and the bytes of (4): what 2 (alpha log P + beta (P-1)/P n) stands for.
  ASSERT_TRUE(at(table, {1, 512}).schedule_s);
  EXPECT_NEAR(*at(table, {1, 512}).schedule_s / *table.formula_4_s, 1, 1e-3);
  EXPECT_FALSE(table.formula_7_s);  // 512 strips of an image of 13 rows
  EXPECT_FALSE(at(table, {512, 1}).formula_9_s);
  EXPECT_TRUE(at(table, {8, 64}).formula_9_s);
}

TEST(CostTable, RedistributionIsInTheSchedules) {
  const CostTable table = table_of(32, Strategy::Kind::conv_batch);
  const GridCost& cost = at(table, {8, 4});
  expect_same(cost.formula_6_s.after_s, 5 * kAlpha + kBeta * 2048 * 31 / 32 * 9'216);
  EXPECT_EQ(at(table, {1, 32}).formula_6_s.after_s, 0);
  ASSERT_TRUE(cost.schedule_s);
  // What (8) counts of the fully connected layers, and forward the redistribution: 7 messages of 64 samples of 9216
  // values. The schedules lack conv5's gather, which (8) does not charge here either.
  EXPECT_GT(*cost.schedule_s, 7 * (kAlpha + kBeta * 64 * 9'216));
}

// A pair of AlexNet's saves the gathers of fc6 and fc7, and pays for the sum of Y7 what the all-reduce of dX7 took: by
// formula, and by the messages of Rabenseifner's algorithms, whose steps are the formula's.
TEST(CostTable, PairsSaveTwoGathersOfConvBatch) {
  const CostTable pair = table_of(32, Strategy::Kind::pair, 2048, Algorithm::rabenseifner);
  const CostTable batch = table_of(32, Strategy::Kind::conv_batch, 2048, Algorithm::rabenseifner);
  EXPECT_TRUE(pair.by_columns);
  EXPECT_FALSE(batch.by_columns);
  for (const GridCost& cost : pair.grids) {
    const GridCost& other = at(batch, cost.grid);
    const double pr = cost.grid.rows, pc = cost.grid.columns;
    const double saved = 2 * (kAlpha * std::log2(pr) + kBeta * 2048 / pc * (pr - 1) / pr * 4096);
    EXPECT_NEAR(other.formula_8_s.before_s - cost.formula_8_s.before_s, saved, 1e-12) << to_string(cost.grid);
    EXPECT_EQ(cost.formula_6_s.after_s, other.formula_6_s.after_s);
    ASSERT_TRUE(cost.schedule_s && other.schedule_s);
    EXPECT_NEAR(*other.schedule_s - *cost.schedule_s, saved, 1e-12) << to_string(cost.grid);
    EXPECT_NEAR((*cost.schedule_parts)[Exchange::reduce_output], saved, 1e-12) << to_string(cost.grid);
  }
}

TEST(CostTable, PartsOfPureGridsAreOneExchange) {
  const CostTable table = table_of(8, Strategy::Kind::uniform);
  const ExchangeSeconds& batch = at(table, {1, 8}).formula_8_parts;
  expect_same(batch[Exchange::reduce_weights], *table.formula_4_s);
  expect_same(batch.total(), *table.formula_4_s);
  const ExchangeSeconds& model = at(table, {8, 1}).formula_8_parts;
  expect_same(model[Exchange::all_gather], table.formula_3_s.before_s / 3);
  expect_same(model[Exchange::reduce_data], 2 * table.formula_3_s.before_s / 3);
  EXPECT_EQ(model[Exchange::reduce_weights], 0);
  // Ranks are in step, so that their mean time in exchanges is all of the schedule's.
  const GridCost& mixed = at(table, {4, 2});
  EXPECT_NEAR(mixed.schedule_parts->total() / *mixed.schedule_s, 1, 1e-9);
  EXPECT_GT((*mixed.schedule_parts)[Exchange::reduce_data], (*mixed.schedule_parts)[Exchange::all_gather]);
}

// Of AlexNet's multiply-adds for one sample: windows x filters x values in a window.
constexpr double kAlexnetForward = 55. * 55 * 96 * 363 + 27. * 27 * 256 * 1200 + 13. * 13 * 384 * 2304 +
                                   13. * 13 * 384 * 1728 + 13. * 13 * 256 * 1728 + 37'748'736 + 16'777'216 + 4'096'000;

TEST(CostTable, ComputingIsThreeProductsALayer) {
  const AnalyticCost analytic;
  PricedOperations prices(analytic, 1);
  PlanOptions options;
  options.batch = 64;
  const CostTable table = cost_table(alexnet(), options, 4, kNetwork, {.prices = &prices});
  // Forward, the weights' gradient, and but for the first layer the data's.
  const double flops = 2. * 64 * (3 * kAlexnetForward - 55. * 55 * 96 * 363);
  for (const GridCost& cost : table.grids) {
    ASSERT_TRUE(cost.computing && cost.iteration_s) << to_string(cost.grid);
    EXPECT_NEAR(4 * cost.computing->gemm_flops / flops, 1, 1e-12) << to_string(cost.grid);
    EXPECT_NEAR(cost.computing->mean_s / (flops / 4 * analytic.seconds_per_flop), 1, 1e-12) << to_string(cost.grid);
    EXPECT_EQ(cost.computing->extrapolated_s, 0);
    // All ranks compute alike and additions are free: nothing waits.
    EXPECT_NEAR(*cost.iteration_s / (cost.computing->longest_s + *cost.schedule_s), 1, 1e-9) << to_string(cost.grid);
  }
}

TEST(CostTable, PricesSchedulesUpToTheMessagesAskedFor) {
  PlanOptions options;
  options.batch = 64;
  const CostTable all = cost_table(alexnet(), options, 8, kNetwork);
  double fewest = *all.grids.front().messages;
  for (const GridCost& cost : all.grids) fewest = std::min(fewest, *cost.messages);
  const CostTable one = cost_table(alexnet(), options, 8, kNetwork, {.most_messages = fewest});
  int priced = 0;
  for (const GridCost& cost : one.grids) priced += cost.schedule_s ? 1 : 0;
  EXPECT_EQ(priced, 1);
  EXPECT_FALSE(all.grids.front().computing);
}

TEST(CostTable, OfAMillionProcessesHasNoSchedules) {
  const CostTable table = table_of(1 << 20, Strategy::Kind::uniform);
  EXPECT_EQ(table.grids.size(), 21U);
  int possible = 0;
  for (const GridCost& cost : table.grids) {
    EXPECT_FALSE(cost.schedule_s);
    EXPECT_EQ(cost.impossible.empty(), cost.grid.columns <= 2048);
    possible += cost.impossible.empty() ? 1 : 0;
  }
  EXPECT_EQ(possible, 12);
  EXPECT_FALSE(table.formula_4_s);
  for (const GridCost& cost : table_of(1 << 20, Strategy::Kind::conv_batch).grids)
    EXPECT_FALSE(cost.impossible.empty());
}

}  // namespace
}  // namespace simtrain
