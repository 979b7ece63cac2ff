// Does a whole simulated iteration take what the alpha-beta cost of its schedules says, where nothing contends? And do
// the parts scale as they must?
#include <gtest/gtest.h>

#include "tests/support/analytic_cost.hpp"
#include "tests/support/simulated_job.hpp"
#include "tests/support/values_in_child.hpp"
#include "train/cost.hpp"

namespace simtrain {
namespace {

constexpr double kTolerance = 0.005;
constexpr double kAlpha = 2e-6, kBandwidth = 6e9;

Plan alexnet_plan(Grid grid, std::int64_t batch, Algorithm algorithm, const std::string& strategy = "uniform") {
  PlanOptions options;
  options.grid = grid;
  options.batch = batch;
  options.algorithm = algorithm;
  options.strategy = parse_strategy("--strategy", strategy);
  return make_plan(load_network(SOURCE_DIR "/scenarios/networks/alexnet.json"), options);
}

std::string crossbar(std::int64_t hosts) {
  return "crossbar:" + std::to_string(hosts) + ",bandwidth=6GBps,latency=2us";
}

void compare(Grid grid, std::int64_t batch, Algorithm algorithm, const std::string& strategy = "uniform") {
  AnalyticCost cost;
  cost.seconds_per_flop = 2e-12;
  cost.seconds_per_element = 1e-10;
  const Plan plan = alexnet_plan(grid, batch, algorithm, strategy);
  PricedOperations prices(cost, 1);
  const AlphaBetaCost expected = alpha_beta_cost(plan, prices, {kAlpha, 1 / kBandwidth});
  double exchanges = 0;
  for (const ExchangeSeconds& row : expected.exchanges)
    for (const double seconds : row.by_exchange) exchanges += seconds;
  const auto found = values_in_child([&]() -> std::vector<double> {
    const Result result = simulate(plan, crossbar(grid.size()), cost);
    return {result.iteration_s, result.communication_s()};
  });
  ASSERT_EQ(found.size(), 2U);
  const std::string what =
      to_string(grid) + ", batch " + std::to_string(batch) + ", " + std::string(name_of(algorithm)) + ", " + strategy;
  expect_ratio_near_one(what, expected.iteration_s, found[0], kTolerance);
  if (exchanges > 0) expect_ratio_near_one(what + ", exchanges", exchanges, found[1], kTolerance);
}

TEST(IterationTime, IsTheCostOfItsSchedulesOnEveryGridOf8) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner,
                                    Algorithm::bruck, Algorithm::automatic})
    for (int rows = 1; rows <= 8; rows *= 2) compare({rows, 8 / rows}, 256, algorithm);
}

TEST(IterationTime, IsTheCostOfItsSchedulesOnEveryGridOf64) {
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::automatic})
    for (int rows = 1; rows <= 64; rows *= 2) compare({rows, 64 / rows}, 1024, algorithm);
}

// Batches and grids that divide nothing: ranks have different blocks and run out of step.
TEST(IterationTime, IsTheCostOfItsSchedulesOnUnevenGrids) {
  for (const Grid grid : {Grid{7, 1}, Grid{1, 13}, Grid{5, 3}, Grid{3, 11}}) compare(grid, 101, Algorithm::automatic);
}

// Redistributions too, between ranks that are in step and, with batches that divide nothing, out of step.
TEST(IterationTime, IsTheCostOfItsSchedulesOnSeveralGrids) {
  for (const Grid grid : {Grid{4, 4}, Grid{2, 8}, Grid{16, 1}}) compare(grid, 256, Algorithm::automatic, "conv-batch");
  compare({3, 5}, 101, Algorithm::automatic, "conv-batch");
  compare({5, 3}, 101, Algorithm::ring, "conv1:15x1; conv3:3x5; fc7:1x15");
}

// Halo exchanges too, hidden and not: strips that are alike or not, more ranks than samples.
TEST(IterationTime, IsTheCostOfItsSchedulesWithImagesInStrips) {
  for (const Grid grid : {Grid{4, 4}, Grid{16, 1}})
    compare(grid, 256, Algorithm::automatic, "conv1:domain:2x8; conv2:domain:4x4; conv*:domain:2x8");
  compare({8, 2}, 4, Algorithm::ring, "domain");
  compare({5, 3}, 101, Algorithm::ring, "conv*:domain:5x3");
}

// Layers split by columns too, which sum their outputs.
TEST(IterationTime, IsTheCostOfItsSchedulesWithLayersSplitByColumns) {
  for (const Grid grid : {Grid{4, 4}, Grid{16, 1}}) compare(grid, 256, Algorithm::automatic, "pair");
  compare({5, 3}, 101, Algorithm::ring, "fc6:columns:15x1; fc8:columns:5x3");
}

// Seconds that a network of three linear layers of so many outputs communicates on a crossbar, by rings, computing
// free.
double communication_s(const std::string& strategy, Grid grid) {
  const Network network = network_from_json("three", R"({
    "format": "simtrain-network", "version": 1, "name": "three",
    "input": {"channels": 512, "height": 1, "width": 1}, "dataset_images": 4096, "default_batch": 256,
    "layers": [{"name": "a", "type": "linear", "outputs": 1024, "bias": false}, {"type": "relu"},
               {"name": "b", "type": "linear", "outputs": 768, "bias": false}, {"type": "relu"},
               {"name": "c", "type": "linear", "outputs": 256, "bias": false}]})");
  PlanOptions options;
  options.grid = grid;
  options.batch = 256;
  options.algorithm = Algorithm::ring;
  options.strategy = parse_strategy("--strategy", strategy);
  AnalyticCost free_kernels;
  free_kernels.seconds_per_flop = 0;
  const auto found = values_in_child([&]() -> std::vector<double> {
    return {simulate(make_plan(network, options), crossbar(grid.size()), free_kernels).iteration_s};
  });
  return found.size() == 1 ? found[0] : 0;
}

// On 4 x 2, 128 samples a column, in messages of the ring, p - 1 of a p-th of the array to gather it and twice as many
// to reduce it. Both ways: Yc is gathered and dXc (768) reduced over 4; over 2 a quarter of each W. Two integrated
// layers: Ya and Yb are gathered and dXb (1 024) reduced besides; as a pair Yb is reduced instead. 0.67 and 0.51 ms.
TEST(IterationTime, OfAPairIsThatOfItsMessages) {
  const auto gather = [](double words, int p) { return (p - 1) * (kAlpha + 4 * words / p / kBandwidth); };
  const auto reduce = [&](double words, int p) { return 2 * gather(words, p); };
  double both = gather(256 * 128, 4) + reduce(768 * 128, 4);
  for (const double weights : {512. * 1024, 1024. * 768, 768. * 256}) both += reduce(weights / 4, 2);
  const double integrated = both + gather(1024 * 128, 4) + gather(768 * 128, 4) + reduce(1024 * 128, 4);
  const double pair = both + reduce(768 * 128, 4);
  expect_ratio_near_one("integrated", integrated, communication_s("uniform", {4, 2}), kTolerance);
  expect_ratio_near_one("pair", pair, communication_s("pair", {4, 2}), kTolerance);
}

// On the ring of pure data parallelism, even blocks: 2 (P-1) messages of |W_i|/P words a layer, worked out here.
TEST(IterationTime, OfPureDataParallelismIsTheTextbookRing) {
  AnalyticCost free_kernels;
  free_kernels.seconds_per_flop = 0;
  double expected = 0;
  for (const double words : {34'848., 307'200., 884'736., 663'552., 442'368., 37'748'736., 16'777'216., 4'096'000.})
    expected += 2 * 31 * (kAlpha + 4 * words / 32 / kBandwidth);
  const auto found = values_in_child([&]() -> std::vector<double> {
    return {simulate(alexnet_plan({1, 32}, 32, Algorithm::ring), crossbar(32), free_kernels).iteration_s};
  });
  ASSERT_EQ(found.size(), 1U);
  expect_ratio_near_one("1x32 ring", expected, found[0], kTolerance);
}

// Seconds of communication and of computing.
std::vector<double> parts(const std::string& bandwidth, double seconds_per_flop) {
  return values_in_child([&]() -> std::vector<double> {
    AnalyticCost cost;
    cost.seconds_per_flop = seconds_per_flop;
    const Result result = simulate(alexnet_plan({4, 4}, 256, Algorithm::ring),
                                   "crossbar:16,bandwidth=" + bandwidth + ",latency=0s", cost);
    return {result.communication_s(), result.compute_s()};
  });
}

// With no latency, half the bandwidth doubles communication; a node twice as fast halves computing.
TEST(IterationTime, ScalesWithBandwidthAndComputeSpeed) {
  const auto base = parts("6GBps", 1e-11), slow_network = parts("3GBps", 1e-11), fast_node = parts("6GBps", 5e-12);
  ASSERT_EQ(base.size(), 2U);
  EXPECT_NEAR(slow_network.at(0) / base[0], 2, 1e-6);
  EXPECT_NEAR(slow_network.at(1) / base[1], 1, 1e-6);
  EXPECT_NEAR(fast_node.at(0) / base[0], 1, 1e-6);
  EXPECT_NEAR(fast_node.at(1) / base[1], 0.5, 1e-6);
}

}  // namespace
}  // namespace simtrain
