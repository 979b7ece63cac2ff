// Replicas from end to end: a profile whose noise is known gives the interval that follows from it.
#include "sim/prediction/replicas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "report/json.hpp"
#include "tests/support/analytic_profile.hpp"
#include "tests/support/small_networks.hpp"

namespace simtrain {
namespace {

// A job of the small MLP, and the calls that its ranks make.
class ReplicasTest : public testing::Test {
 protected:
  ReplicasTest() {
    std::filesystem::create_directories(folder_);
    write_file(folder_ + "/network.json", kEvenMlp);
    job = job_from(parse_options({"--network", folder_ + "/network.json", "--seed", "5"}, job_options(1, 0)));
    cost.seconds_per_flop = 1e-9;
    cost.seconds_per_element = 1e-8;
    options.platform = "crossbar:4,bandwidth=1GBps,latency=1us";
    options.profile = folder_ + "/profile.json";
  }
  ~ReplicasTest() override { std::filesystem::remove_all(folder_); }

  void write_profile(double noise, const std::vector<Grid>& grids) {
    write_analytic_profile(options.profile, job, grids, cost, noise);
  }

  [[nodiscard]] Result run(ReplicaOptions replicas) const { return predict_with_replicas(job, options, replicas); }

  Job job;
  AnalyticCost cost;
  PredictionOptions options;

 private:
  std::string folder_ = "replicas_test_files";
};

// On one rank an iteration is a sum of calls with seconds t, each `times` in a row, of 90, 100 or 110 % with equal
// probability: variance 2/3 0.1^2. Sums of so many are normal: 90 % lie within 1.645 standard deviations. The bounds
// are three standard errors of these percentiles with 400 replicas: sqrt(p(1-p)/n)/density = 0.106 standard deviations
// for 5 and 95 %, 0.063 for the median.
TEST_F(ReplicasTest, NoiseOfTenPercentGivesTheIntervalThatFollows) {
  write_profile(0.1, {{1, 1}});
  double expected_s = 0, variance = 0;
  const Plan plan = make_plan(job.network, job.plan);
  for (const Step& step : plan.steps)
    if (const auto* compute = std::get_if<ComputeStep>(&step))
      for_each_call(plan.operation(*compute, {}), [&](const Call& call, std::int64_t times) {
        const double seconds = cost.estimate(call).seconds;
        expected_s += seconds * static_cast<double>(times);
        variance += static_cast<double>(times) * seconds * seconds * 0.01 * 2 / 3;
      });
  const Result result = run({.count = 400, .node_spread = 0, .workers = 2});
  ASSERT_TRUE(result.replicas);
  const Distribution found = result.replicas->iterations();
  const double deviation = std::sqrt(variance);
  std::printf("  expected %.4g s, 5 %% %.4g, 95 %% %.4g; simulated %.4g, 5 %% %.4g, median %.4g, 95 %% %.4g\n",
              expected_s, expected_s - 1.645 * deviation, expected_s + 1.645 * deviation, result.iteration_s, found.p5,
              found.median, found.p95);
  EXPECT_NEAR(result.iteration_s / expected_s, 1, 1e-3);  // a profile keeps four digits
  EXPECT_NEAR((found.p5 - expected_s) / deviation, -1.645, 3 * 0.106);
  EXPECT_NEAR((found.median - expected_s) / deviation, 0, 3 * 0.063);
  EXPECT_NEAR((found.p95 - expected_s) / deviation, 1.645, 3 * 0.106);
}

TEST_F(ReplicasTest, ANodeThatIsSlowerMakesItsIterationSlower) {
  write_profile(0, {{1, 1}});
  const Result result = run({.count = 5, .node_spread = 0.1, .workers = 2});
  const KernelTimes times({{{Kernel::relu, 1}, {1.0, 1.0}, false}});
  for (int replica = 0; replica < 5; ++replica) {
    const ReplicaNoise noise(times, "", {.seed = 5, .replica = replica, .node_spread = 0.1});
    EXPECT_NEAR(result.replicas->iteration_seconds[static_cast<std::size_t>(replica)] / result.iteration_s,
                noise.node_factor(0), 1e-9);
  }
}

TEST_F(ReplicasTest, WithoutNoiseEveryReplicaIsThePrediction) {
  write_profile(0, {{2, 2}});
  job.plan.grid = {2, 2};
  const Result result = run({.count = 3, .node_spread = 0, .workers = 2});
  EXPECT_EQ(result.replicas->iteration_seconds, std::vector<double>(3, result.iteration_s));
}

TEST_F(ReplicasTest, FollowFromTheSeedAloneAndLeaveThePredictionAsItIs) {
  write_profile(0.1, {{2, 2}});
  job.plan.grid = {2, 2};
  const Result a = run({.count = 6, .node_spread = 0.01, .workers = 1});
  const Result b = run({.count = 6, .node_spread = 0.01, .workers = 4});
  EXPECT_EQ(to_json(a), to_json(b)) << "however many at a time";
  const Result fewer = run({.count = 2, .node_spread = 0.01, .workers = 2});
  EXPECT_EQ(fewer.replicas->iteration_seconds[1], a.replicas->iteration_seconds[1]);
  job.seed = 6;
  const Result c = run({.count = 6, .node_spread = 0.01, .workers = 2});
  EXPECT_NE(c.replicas->iteration_seconds, a.replicas->iteration_seconds);
  EXPECT_EQ(c.iteration_s, a.iteration_s);
  for (const double seconds : a.replicas->iteration_seconds) EXPECT_NE(seconds, a.iteration_s);
}

TEST_F(ReplicasTest, WrongInputIsSaidOnce) {
  write_profile(0.1, {{1, 1}});
  options.platform = "crossbar:0";
  try {
    (void)run({.count = 3, .node_spread = 0, .workers = 2});
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("crossbar:0"), std::string::npos) << text;
    EXPECT_EQ(text.find("replica"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace simtrain
