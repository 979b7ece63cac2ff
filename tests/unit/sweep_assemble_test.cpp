// From results to the sweep that is reported: what was known first makes no difference.
#include <gtest/gtest.h>

#include "sim/sweep/assemble.hpp"
#include "tests/support/sample_result.hpp"
#include "tests/support/sample_sweep.hpp"

namespace simtrain {
namespace {

TEST(Assemble, SkipsByBoundsWhateverWasSimulated) {
  SweepInputs inputs = sample_inputs();
  inputs.options["prune"] = "";
  PointStates states;
  const auto add = [&](std::size_t point, double bound_s, double iteration_s) {
    states[point].lower_bound_s = bound_s;
    Result result = sample_result();
    result.iteration_s = iteration_s;
    result.job.batch = point < 3 ? 64 : 128;
    states[point].result = result;
  };
  add(0, 0.04, 0.05);  // of 64 images, so that 0.1 s for 128 are as fast
  add(1, 0.03, 0.06);
  add(3, 0.12, 0.20);  // simulated, though its bound says that it cannot win
  add(4, 0.09, 0.11);
  states[2].lower_bound_s = 0.051;
  states[2].skipped = true;
  states[5].error = "nonsense";
  const auto sweep = assemble(inputs, states, {});
  const std::vector<char> skipped{0, 0, 1, 1, 0, 0};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(sweep.points[i].skipped, skipped[i] != 0) << i;
    EXPECT_EQ(sweep.points[i].result.has_value(), i == 0 || i == 1 || i == 4) << i;
    EXPECT_FALSE(sweep.points[i].failed) << i;
  }
  states[3].result.reset();
  states[3].skipped = true;
  EXPECT_EQ(sweep_to_json(assemble(inputs, states, {})), sweep_to_json(sweep));
  states.erase(4);
  EXPECT_NE(assemble(inputs, states, {}).points[4].error.find("missing"), std::string::npos);
}

TEST(Assemble, JoinsReplicasAndTellsOfThoseThatAreNotThere) {
  SweepInputs inputs = sample_inputs();
  inputs.options["replicas"] = "2";
  PointStates states;
  for (const std::size_t point : {0U, 1U, 2U}) states[point].result = sample_result();
  states[0].replicas = {{0, 0.081}, {1, 0.079}};
  states[1].replicas = {{1, 0.079}};
  states[2].replicas = {{0, 0.08}};
  states[2].replica_errors = {{1, "no luck"}};
  const Sweep sweep = assemble(inputs, states, {});
  ASSERT_TRUE(sweep.points[0].result);
  EXPECT_EQ(sweep.points[0].result->replicas->iteration_seconds, (std::vector<double>{0.081, 0.079}));
  EXPECT_EQ(sweep.points[0].result->replicas->node_spread, 0.01);
  EXPECT_NE(sweep.points[1].error.find("1 of its 2 replicas"), std::string::npos);
  EXPECT_TRUE(sweep.points[1].failed);
  EXPECT_EQ(sweep.points[2].error, "replica 2: no luck");
  EXPECT_FALSE(sweep.points[2].failed);
}

}  // namespace
}  // namespace simtrain
