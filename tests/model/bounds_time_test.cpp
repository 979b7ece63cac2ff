// What --bounds says of an iteration, part by part, against values worked out by hand: one linear layer, 24 inputs, 32
// outputs and a bias, that is 800 weights, 16 samples, rings.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "base/files.hpp"
#include "base/options.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/prediction/prediction.hpp"
#include "tests/support/analytic_profile.hpp"
#include "tests/support/values_in_child.hpp"

namespace simtrain {
namespace {

constexpr const char* kOneLayer = R"({
  "format": "simtrain-network", "version": 1, "name": "one-layer",
  "input": {"channels": 24, "height": 1, "width": 1}, "dataset_images": 64, "default_batch": 16,
  "layers": [{"name": "fc", "type": "linear", "outputs": 32}]})";

using Part = double BoundsResult::*;
constexpr std::array<Part, 7> kParts{&BoundsResult::computing_s, &BoundsResult::slower_s,  &BoundsResult::adding_s,
                                     &BoundsResult::bandwidth_s, &BoundsResult::latency_s, &BoundsResult::contention_s,
                                     &BoundsResult::waiting_s};

class BoundsTime : public testing::Test {
 protected:
  BoundsTime() {
    std::filesystem::create_directories(folder_);
    write_file(folder_ + "/network.json", kOneLayer);
    job_ = job_from(parse_options({"--network", folder_ + "/network.json", "--collectives", "ring", "--momentum", "0"},
                                  job_options(1, 0)));
    cost_.seconds_per_flop = 1e-9;
    cost_.seconds_per_element = 1e-8;
    options_.profile = folder_ + "/profile.json";
    options_.bounds = true;
  }
  ~BoundsTime() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] BoundsResult bounds_of(const std::string& platform, Grid grid,
                                       const std::string& placement = "column-major") {
    job_.plan.grid = grid;
    options_.platform = platform;
    options_.placement = parse_placement("--placement", placement);
    write_analytic_profile(options_.profile, job_, {grid}, cost_, 0);
    const std::vector<double> found = values_in_child([&]() -> std::vector<double> {
      const BoundsResult bounds = *predict(job_, options_).bounds;
      std::vector<double> values;
      for (const auto part : kParts) values.push_back(bounds.*part);
      return values;
    });
    BoundsResult bounds;
    if (found.size() == 7)
      for (std::size_t i = 0; const auto part : kParts) bounds.*part = found[i++];
    return bounds;
  }

  // Seconds of all calls of one rank's iteration on the grid, as the profile has them.
  [[nodiscard]] double computing_s(Grid grid) const {
    PlanOptions on_grid = job_.plan;
    on_grid.grid = grid;
    const Plan plan = make_plan(job_.network, on_grid);
    double sum_s = 0;
    for (const Step& step : plan.steps)
      if (const auto* compute = std::get_if<ComputeStep>(&step))
        for_each_call(plan.operation(*compute, {}), [&](const Call& call, std::int64_t times) {
          sum_s += cost_.estimate(call).seconds * static_cast<double>(times);
        });
    return sum_s;
  }

  Job job_;
  AnalyticCost cost_;
  PredictionOptions options_;

 private:
  std::string folder_ = "bounds_test_files";
};

constexpr double kBandwidth_Bps = 1e9, kLatency_s = 1e-6;

// dW of 800 floats over two ranks: a reduce-scatter of one round and an all-gather of one, 400 floats each; of the
// first 400 are added, at 1e-8 s.
TEST_F(BoundsTime, OneAllReduceOfTwoRanks) {
  const BoundsResult bounds = bounds_of("crossbar:2,bandwidth=1GBps,latency=1us", {1, 2});
  expect_ratio_near_one("latency", 2 * kLatency_s, bounds.latency_s, 1e-6);
  expect_ratio_near_one("bandwidth", 2 * (400 * 4 + kEnvelopeBytes) / kBandwidth_Bps, bounds.bandwidth_s, 1e-4);
  expect_ratio_near_one("adding", cost_.estimate({Kernel::add, 400}).seconds, bounds.adding_s, 1e-3);
  expect_ratio_near_one("computing", computing_s({1, 2}), bounds.computing_s, 1e-3);
  EXPECT_EQ(bounds.contention_s, 0);
  EXPECT_EQ(bounds.slower_s, 0);
  EXPECT_NEAR(bounds.waiting_s, 0, 1e-9);
}

// Two leaves with two hosts and one uplink each. Row-major, both columns lie across: in the all-gather of Y, one round
// of 16 outputs of 8 samples in float, each uplink has two flows, so that it takes as long again. The rows' all-reduces
// stay within their leaves.
TEST_F(BoundsTime, TwoFlowsOnAnUplinkTakeTwice) {
  const BoundsResult bounds =
      bounds_of("leaf-spine:2x2,spines=1,bandwidth=1GBps,latency=1ns,uplink-bandwidth=1GBps,uplink-latency=1ns", {2, 2},
                "row-major");
  const double gather_s = (16 * 8 * 4 + kEnvelopeBytes) / kBandwidth_Bps;
  expect_ratio_near_one("contention", gather_s, bounds.contention_s, 1e-3);
  // dW: the layer's 400 weights of a rank, 200 in each of two rounds.
  expect_ratio_near_one("bandwidth", gather_s + 2 * (200 * 4 + kEnvelopeBytes) / kBandwidth_Bps, bounds.bandwidth_s,
                        1e-3);
}

// One of two ranks at half speed: the mean rank computes half a time longer than the profile says. The other one waits
// for it with as much, of computing and of adding alike, since an iteration is as long as that of the slowest.
TEST_F(BoundsTime, ASlowHostIsHalfOfItsTimeWaitedFor) {
  options_.slow_parts.hosts = {{"host-1", 0.5}};
  options_.costs_of_slow_parts = false;
  const BoundsResult bounds = bounds_of("crossbar:2,bandwidth=1GBps,latency=1us", {1, 2});
  const double computing = computing_s({1, 2});
  expect_ratio_near_one("slower", computing / 2, bounds.slower_s, 1e-3);
  EXPECT_NEAR(bounds.waiting_s, computing / 2 + bounds.adding_s / 3, 0.02 * computing);
}

}  // namespace
}  // namespace simtrain
