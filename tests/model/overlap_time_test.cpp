// Does an iteration whose communication runs behind computing take what is worked out by hand? Two ranks, three layers
// of 512 x 512, products that all take D, and messages of a ring that all take r.
#include <gtest/gtest.h>

#include "tests/support/analytic_cost.hpp"
#include "tests/support/simulated_job.hpp"
#include "tests/support/values_in_child.hpp"

namespace simtrain {
namespace {

constexpr double kTolerance = 1e-6;
constexpr double kAlpha = 2e-6, kBandwidth = 6e9;
constexpr std::int64_t kWidth = 512;

const std::string kThreeLayers = R"({
  "format": "simtrain-network", "version": 1, "name": "three-layers",
  "input": {"channels": 512, "height": 1, "width": 1}, "dataset_images": 1000, "default_batch": 100,
  "layers": [{"name": "fc1", "type": "linear", "outputs": 512, "bias": false}, {"type": "relu"},
             {"name": "fc2", "type": "linear", "outputs": 512, "bias": false}, {"type": "relu"},
             {"name": "fc3", "type": "linear", "outputs": 512, "bias": false}]})";

// A message of so many floats.
double message_s(double floats) { return kAlpha + (16 + 4 * floats) / kBandwidth; }

struct Found {
  double iteration_s = 0, compute_s = 0, communication_s = 0, exposed_s = 0;
};

// Nothing but products takes time.
Found simulated(Grid grid, std::int64_t batch, double seconds_per_flop, const OverlapOptions& overlap) {
  const auto found = values_in_child([&]() -> std::vector<double> {
    PlanOptions options;
    options.grid = grid;
    options.batch = batch;
    options.algorithm = Algorithm::ring;
    options.overlap = overlap;
    AnalyticCost cost;
    cost.seconds_per_flop = seconds_per_flop;
    const Result result = simulate(make_plan(network_from_json("three layers", kThreeLayers), options),
                                   "crossbar:2,bandwidth=6GBps,latency=2us", cost);
    return {result.iteration_s, result.compute_s(), result.communication_s(), result.exposed_s()};
  });
  EXPECT_EQ(found.size(), 4U);
  return found.size() == 4 ? Found{found[0], found[1], found[2], found[3]} : Found{};
}

std::string named(const OverlapOptions& overlap) {
  return "overlap " + std::string(name_of(overlap.overlap)) + ", progress " + std::string(name_of(overlap.progress));
}

// One layer a bucket.
void expect(Grid grid, std::int64_t batch, double seconds_per_flop, Overlap overlap, Progress progress,
            double expected_s, double under_way_s, std::int64_t bucket_bytes = 1) {
  const OverlapOptions options{overlap, progress, bucket_bytes};
  const Found found = simulated(grid, batch, seconds_per_flop, options);
  const std::string what = to_string(grid) + ", " + named(options);
  expect_ratio_near_one(what, expected_s, found.iteration_s, kTolerance);
  expect_ratio_near_one(what + ", under way", under_way_s, found.communication_s, kTolerance);
  // What the report adds up.
  expect_ratio_near_one(what + ", compute + exposed", expected_s, found.compute_s + found.exposed_s, kTolerance);
}

// Data parallel: on 1x2 an all-reduce of 512*512 floats is two rounds of half of them. Computing: F1 F2 F3 | dX3 dW3
// dX2 dW2 dW1, all of time D, and 2r < D: then
//   overlap none     all six rounds are waited for
//   ideal            those of layers 3 and 2 are over before dW1 ends; 2 of layer 1 are left
//   polling          layer 3: round 1 during dX2, 2 during dW2; layer 2: round 1 during dW1, 2 is left; 2 of layer 1
//   none             layer 3: round 1 during the rest, 2 is left; then 2 of layer 2, and 2 of layer 1
TEST(OverlapTime, OfWeightGradientsBehindLongProducts) {
  constexpr double kSecondsPerFlop = 1e-11;
  const Grid grid{1, 2};
  const double d = 2.0 * kWidth * kWidth * 100 * kSecondsPerFlop, r = message_s(kWidth * kWidth / 2.0);
  ASSERT_LT(2 * r, d);
  const double computing = 8 * d;
  const auto takes = [&](Overlap overlap, Progress progress, double rounds, double under_way) {
    expect(grid, 200, kSecondsPerFlop, overlap, progress, computing + rounds * r, under_way);
  };
  takes(Overlap::none, Progress::ideal, 6, 6 * r);
  for (const Overlap overlap : {Overlap::gradients, Overlap::all}) {  // with Pr = 1 there is nothing else to hide
    takes(overlap, Progress::ideal, 2, 6 * r);
    // Layer 3 is under way from dW3 until after dW2; layer 2 from there until a round after dW1.
    takes(overlap, Progress::polling, 3, 2 * d + (d + r) + 2 * r);
    // Layer 3 until a round after dW1.
    takes(overlap, Progress::none, 5, (3 * d + r) + 2 * r + 2 * r);
  }
}

// 2D < 2r: one all-reduce after the other, from the end of dW3 on.
TEST(OverlapTime, OfWeightGradientsBehindShortProducts) {
  constexpr double kSecondsPerFlop = 1e-12;
  const double d = 2.0 * kWidth * kWidth * 100 * kSecondsPerFlop, r = message_s(kWidth * kWidth / 2.0);
  ASSERT_LT(d, r);
  expect({1, 2}, 200, kSecondsPerFlop, Overlap::gradients, Progress::ideal, 5 * d + 6 * r, 6 * r);
}

// All three in one bucket: nothing is left to hide behind.
TEST(OverlapTime, OfOneBucket) {
  constexpr double kSecondsPerFlop = 1e-11;
  const double d = 2.0 * kWidth * kWidth * 100 * kSecondsPerFlop, r = message_s(3 * kWidth * kWidth / 2.0);
  for (const Progress progress : {Progress::ideal, Progress::polling, Progress::none})
    expect({1, 2}, 200, kSecondsPerFlop, Overlap::gradients, progress, 8 * d + 2 * r, 2 * r, 1 << 30);
}

// Model parallel: on 2x1 three all-gathers are a round each, and the all-reduces of dX3 and dX2 two. A rank's half of a
// product takes D. With `all`, an all-reduce runs beside the product dW of its layer; by polling or without progress
// its first round does, and the second is waited for.
TEST(OverlapTime, OfDataGradients) {
  const Grid grid{2, 1};
  constexpr std::int64_t kBatch = 100;
  const double r = message_s(kWidth / 2.0 * kBatch);
  for (const double seconds_per_flop : {1e-11, 1e-13}) {
    const double d = 2.0 * kWidth * kWidth / 2 * kBatch * seconds_per_flop;
    const bool long_products = seconds_per_flop == 1e-11;
    ASSERT_EQ(2 * r < d, long_products);
    ASSERT_EQ(r < d, long_products);
    const double computing = 8 * d, gathers = 3 * r;
    const auto takes = [&](Overlap overlap, Progress progress, double reducing, double under_way) {
      expect(grid, kBatch, seconds_per_flop, overlap, progress, computing + gathers + reducing, gathers + under_way);
    };
    takes(Overlap::none, Progress::ideal, 4 * r, 4 * r);
    takes(Overlap::gradients, Progress::ideal, 4 * r, 4 * r);
    takes(Overlap::all, Progress::ideal, 2 * std::max(0.0, 2 * r - d), 4 * r);
    for (const Progress progress : {Progress::polling, Progress::none})
      takes(Overlap::all, progress, 2 * (std::max(r, d) - d + r), 2 * (std::max(r, d) + r));
  }
}

// Figure 8 of Gholami et al.: AlexNet, B = 2048, P = 512, the all-reduce of weight gradients behind the backward pass.
// With pure batch parallelism much of it cannot be hidden; on 4x128, with a quarter of it, all but the last bucket can.
TEST(OverlapTime, HidesTheAllReduceOfFigure8) {
  const auto of = [&](Grid grid, Overlap overlap) {
    return values_in_child([&]() -> std::vector<double> {
      PlanOptions options;
      options.grid = grid;
      options.batch = 2048;
      options.algorithm = Algorithm::rabenseifner;
      options.overlap = {overlap, Progress::ideal, std::int64_t{25} << 20};
      AnalyticCost cost;
      cost.seconds_per_flop = 2e-12;
      const Result result = simulate(make_plan(load_network(SOURCE_DIR "/scenarios/networks/alexnet.json"), options),
                                     "crossbar:512,bandwidth=6GBps,latency=2us", cost);
      return {result.iteration_s, result.compute_s(), result.exposed_s(), result.hidden_s()};
    });
  };
  for (const Grid grid : {Grid{1, 512}, Grid{4, 128}}) {
    const auto without = of(grid, Overlap::none), with = of(grid, Overlap::gradients);
    ASSERT_EQ(without.size(), 4U);
    ASSERT_EQ(with.size(), 4U);
    std::printf("  %s: none %.6f s; gradients %.6f s = compute %.6f + exposed %.6f, and hidden %.6f\n",
                to_string(grid).c_str(), without[0], with[0], with[1], with[2], with[3]);
    EXPECT_NEAR(with[1] + with[2], with[0], 0.01 * with[0]);
    EXPECT_LT(with[0], without[0]);
    EXPECT_EQ(without[3], 0);
    EXPECT_GT(with[3], 0);
  }
}

}  // namespace
}  // namespace simtrain
