// Sweeps run from end to end, without the command: what is simulated again, what is not, and what a failure costs.
#include <gtest/gtest.h>
#include <stdlib.h>  // setenv

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/options.hpp"
#include "report/json.hpp"
#include "sim/sweep/assemble.hpp"
#include "sim/sweep/options.hpp"
#include "sim/sweep/run.hpp"
#include "sim/sweep/store.hpp"
#include "tests/support/sample_result.hpp"

namespace simtrain {
namespace {

constexpr std::size_t kRows1 = 0, kRows2 = 1, kRows4 = 2;  // of the grids of four processes

class SweepRun : public testing::Test {
 protected:
  explicit SweepRun(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"--platform",  "torus:2x2", "--network",    "mlp",
                                       "--processes", "4",         "--extrapolate"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    values = parse_options(arguments, sweep_options());
    jobs.emplace(values, space_from(values));
    inputs = inputs_from(values, *jobs);
    replicas = replicas_from(values);
    for (std::size_t i = 0; i < jobs->space().size(); ++i) outlooks[i] = jobs->outlook(i, {});
  }
  ~SweepRun() override { std::filesystem::remove(path); }

  Sweep run(ResultsStore* store) {
    SweepLedger ledger(inputs, store);
    run_points(*jobs, outlooks, {2, {}}, ledger);
    if (inputs.replicas() > 0) run_replicas(*jobs, outlooks, replicas, {2, {}}, ledger);
    return assemble(inputs, ledger.states(), ledger.troubles());
  }

  boost::program_options::variables_map values;
  std::optional<SweepJobs> jobs;
  SweepInputs inputs;
  ReplicaOptions replicas;
  PointOutlooks outlooks;
  const std::string path = "sweep_run_test.jsonl";
};

// A result that no simulation gives comes back as it was stored; the others are simulated.
TEST_F(SweepRun, SimulatesWhatIsNotInTheFile) {
  Result mine = sample_result();
  mine.job.grid_rows = mine.job.grid_columns = 2;
  { ResultsStore(path, inputs).append(result_line(kRows2, to_json(mine))); }
  Sweep sweep;
  {
    ResultsStore store(path, inputs);
    sweep = run(&store);
  }
  EXPECT_EQ(sweep.points[kRows2].result, mine);
  const Sweep alone = run(nullptr);
  EXPECT_EQ(sweep.points[kRows1].result, alone.points[kRows1].result);
  EXPECT_EQ(sweep.points[kRows4].result, alone.points[kRows4].result);
  EXPECT_NE(alone.points[kRows2].result, mine);
  EXPECT_EQ(read_results(path).states.size(), 3U);
}

TEST_F(SweepRun, WritesTheSameTextsWhetherItWasInterruptedOrNot) {
  ASSERT_EQ(::setenv("SOURCE_DATE_EPOCH", "1764512482", 1), 0);  // a second may pass between the two
  const Sweep alone = run(nullptr);
  {
    ResultsStore store(path, inputs);
    (void)run(&store);
  }
  ResultsStore store(path, inputs);
  const Sweep again = run(&store);
  EXPECT_EQ(sweep_to_json(again), sweep_to_json(alone));
  EXPECT_EQ(sweep_to_csv(again), sweep_to_csv(alone));
  EXPECT_EQ(sweep_to_text(again), sweep_to_text(alone));
}

class SweepRunWithReplicas : public SweepRun {
 protected:
  SweepRunWithReplicas() : SweepRun({"--replicas", "3"}) {}
};

TEST_F(SweepRunWithReplicas, KeepsThoseThatAreInTheFile) {
  const Sweep alone = run(nullptr);
  const auto seconds = [](const SweepPoint& point) { return point.result->replicas->iteration_seconds; };
  { ResultsStore(path, inputs).append(replica_line(kRows4, 1, 0.5)); }
  ResultsStore store(path, inputs);
  const Sweep sweep = run(&store);
  EXPECT_EQ(seconds(sweep.points[kRows1]), seconds(alone.points[kRows1]));
  EXPECT_EQ(seconds(sweep.points[kRows4]),
            (std::vector<double>{seconds(alone.points[kRows4])[0], 0.5, seconds(alone.points[kRows4])[2]}));
}

// A result that is there, of a job that has room for fewer ranks: the point's replicas fail.
TEST_F(SweepRunWithReplicas, AReplicaThatFailsTakesItsPointWithIt) {
  values = parse_options(
      {"--platform", "torus:2", "--network", "mlp", "--processes", "4", "--extrapolate", "--replicas", "3"},
      sweep_options());
  jobs.emplace(values, space_from(values));
  inputs = inputs_from(values, *jobs);
  for (auto& [point, outlook] : outlooks) outlook = jobs->outlook(point, {});
  EXPECT_NE(outlooks[kRows4].impossible.find("2 hosts"), std::string::npos) << outlooks[kRows4].impossible;
  Result there = sample_result();
  there.job.grid_rows = 4;
  there.job.grid_columns = 1;
  { ResultsStore(path, inputs).append(result_line(kRows4, to_json(there))); }
  ResultsStore store(path, inputs);
  const Sweep sweep = run(&store);
  EXPECT_FALSE(sweep.points[kRows4].result);
  EXPECT_TRUE(sweep.points[kRows4].error.starts_with("replica 1: ")) << sweep.points[kRows4].error;
  EXPECT_EQ(sweep.points[kRows1].error, outlooks[kRows1].impossible);
}

TEST(SweepJobs, RefuseWhatIsWrongByItself) {
  const auto refusal = [](std::vector<std::string> arguments) -> std::string {
    const auto values = parse_options(arguments, sweep_options());
    try {
      const SweepJobs jobs(values, space_from(values));
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const auto expect_part = [&](std::vector<std::string> arguments, const std::string& part) {
    const std::string said = refusal(std::move(arguments));
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect_part({"--platform", "torus:8 | tours:8", "--processes", "8"}, "tours");
  expect_part({"--platform", "torus:8", "--processes", "8", "--network", "mlp|alexnt"}, "alexnt");
  expect_part({"--platform", "torus:8", "--processes", "8", "--batch", "16,0"}, "--batch");
  expect_part({"--platform", "torus:8", "--processes", "8", "--batch", "16,016"}, "twice");
  expect_part({"--platform", "torus:8", "--processes", "8", "--collectives", "ring,rong"}, "ring");
  expect_part({"--platform", "torus:8", "--processes", "8", "--placement", "blocks|blokcs"}, "blokcs");
  expect_part({"--platform", "torus:8", "--processes", "8", "--strategy", "uniform|unifrom"}, "unifrom");
  EXPECT_EQ(refusal({"--platform", "torus:8 | torus:4,latency=2us", "--processes", "8"}), "");
}

}  // namespace
}  // namespace simtrain
