// Is what --prune compares with really less than what is simulated? On every kind of network, for every collective,
// strategy and overlap; and is it near enough to skip anything?
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/options.hpp"
#include "sim/engine/workers.hpp"
#include "sim/sweep/bound.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

struct Case {
  std::string name;
  std::vector<std::string> arguments;
};

struct Outcome {
  double bound_s = 0, iteration_s = 0;
};

// In child processes: the bound and the simulation each need an engine.
Outcome outcome_of(const std::vector<std::string>& arguments) {
  po::options_description known = prediction_options();
  known.add(grid_options());
  known.add(job_options(1, 0));
  const auto values = parse_options(arguments, known, kGridOptions);
  const PredictionOptions options = prediction_from(values);
  Job job = job_from(values);
  job.plan.grid = grid_from(values);
  Outcome outcome;
  run_tasks(
      {2, {}}, 2,
      [&](std::size_t task) {
        const double seconds =
            task == 0 ? PlatformBounds(options).lower_bound_s(job, options) : predict(job, options).iteration_s;
        return nlohmann::json(seconds).dump();
      },
      [&](const TaskOutcome& done) {
        EXPECT_EQ(done.kind, TaskOutcome::Kind::answer) << done.text;
        if (done.kind != TaskOutcome::Kind::answer) return;
        (done.task == 0 ? outcome.bound_s : outcome.iteration_s) = nlohmann::json::parse(done.text).get<double>();
      });
  return outcome;
}

class SweepBound : public testing::TestWithParam<Case> {};

TEST_P(SweepBound, IsBelowTheSimulation) {
  for (const char* grid : {"1x16", "4x4", "16x1", "2x8"}) {
    std::vector<std::string> arguments = GetParam().arguments;
    for (const char* word : {"--extrapolate", "--batch", "50", "--grid", grid}) arguments.emplace_back(word);
    const Outcome outcome = outcome_of(arguments);
    std::printf("  %-5s bound %10.4g s, simulated %10.4g s: %.3f\n", grid, outcome.bound_s, outcome.iteration_s,
                outcome.bound_s / outcome.iteration_s);
    std::fflush(stdout);  // before the next child is a copy of what is not written yet
    EXPECT_GT(outcome.bound_s, 0);
    EXPECT_LE(outcome.bound_s, outcome.iteration_s) << grid;
  }
}

const std::vector<std::string> kTorus{"--platform", "torus:4x4,bandwidth=1GBps,latency=1us"};

Case on_torus(const std::string& name, std::vector<std::string> more) {
  more.insert(more.begin(), kTorus.begin(), kTorus.end());
  return {name, more};
}

const std::vector<Case> kCases{
    on_torus("ring", {"--collectives", "ring"}),
    on_torus("recursive_doubling", {"--collectives", "recursive-doubling"}),
    on_torus("rabenseifner", {"--collectives", "rabenseifner"}),
    on_torus("bruck", {"--collectives", "bruck"}),
    on_torus("library", {"--collectives", "mpi"}),
    on_torus("merged", {"--detail", "merged", "--collectives", "ring"}),
    on_torus("merged_pairs", {"--detail", "merged", "--collectives", "rabenseifner"}),
    on_torus("several_iterations", {"--iterations", "3", "--network", "mlp"}),
    on_torus("redistributed", {"--strategy", "conv-batch"}),
    on_torus("strips", {"--strategy", "conv*:domain:4x4"}),
    on_torus("overlap_gradients", {"--overlap", "gradients"}),
    on_torus("overlap_all", {"--overlap", "all"}),
    on_torus("overlap_polling", {"--overlap", "all", "--progress", "polling"}),
    on_torus("overlap_none", {"--overlap", "all", "--progress", "none"}),
    on_torus("slow_host", {"--slow-host", "host-3=0.5"}),
    on_torus("degraded_link", {"--degrade-link", "x+ of (0,0)=0.1"}),
    on_torus("placement_auto", {"--placement", "auto"}),
    on_torus("placement_random", {"--placement", "random:5"}),
    on_torus("faster_nodes", {"--compute-scale", "1000"}),
    {"fat_tree", {"--platform", "fat-tree:4x4,up=2,bandwidth=1GBps", "--compute-scale", "1000"}},
    {"dragonfly", {"--platform", "dragonfly:5x2x2,bandwidth=1GBps", "--compute-scale", "1000"}},
    {"crossbar", {"--platform", "crossbar:16,bandwidth=1GBps,latency=10us", "--compute-scale", "1000000"}},
    {"xml", {"--platform", "ethernet.xml", "--compute-scale", "1000"}},
    {"cores_of_a_node", {"--platform", "node:16"}},
    {"ranks_share_hosts",
     {"--platform", "torus:8,bandwidth=1GBps,cores=1,latency=1us", "--ranks-per-host", "2", "--network", "mlp"}}};

INSTANTIATE_TEST_SUITE_P(Model, SweepBound, testing::ValuesIn(kCases), [](const auto& one) { return one.param.name; });

// Where nothing is in anybody's way and nobody waits, the bound is the simulation but for the thousandth it leaves: on
// a crossbar, rings of equal blocks.
TEST(SweepBound, IsTightWhereNothingContends) {
  const Outcome outcome = outcome_of({"--platform", "crossbar:4,bandwidth=1GBps,latency=1us", "--network", "mlp",
                                      "--batch", "64", "--grid", "1x4", "--collectives", "ring", "--extrapolate"});
  std::printf("  bound %.6g s, simulated %.6g s: %.4f\n", outcome.bound_s, outcome.iteration_s,
              outcome.bound_s / outcome.iteration_s);
  EXPECT_LE(outcome.bound_s, outcome.iteration_s);
  EXPECT_GT(outcome.bound_s, 0.99 * outcome.iteration_s);
}

}  // namespace
}  // namespace simtrain
