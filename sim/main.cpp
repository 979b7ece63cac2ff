// simtrain: predicts the time of a training iteration on a simulated cluster.
#include <iostream>

#include "base/error.hpp"
#include "base/options.hpp"
#include "report/color.hpp"
#include "report/terminal.hpp"
#include "sim/commands/compare_command.hpp"
#include "sim/commands/cost_command.hpp"
#include "sim/commands/describe_command.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/commands/sweep_command.hpp"
#include "sim/prediction/choose_strategy.hpp"
#include "sim/prediction/collective_job.hpp"
#include "sim/prediction/flip.hpp"
#include "sim/prediction/prediction.hpp"
#include "sim/prediction/replicas.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "simtrain predicts how long a training iteration takes on a cluster, for a Pr x Pc split of the work.\n\n"
    "  simtrain --platform torus.xml --grid 32x8            predict AlexNet, batch 2048, on 256 hosts of a torus\n"
    "  simtrain --scenario alexnet-torus --json out.json    the same from a scenario file, with machine-readable "
    "output\n"
    "  simtrain --platform torus.xml --grid 32x8 --replicas 20\n"
    "                                                       the same 20 times more, disturbed: how certain is it?\n"
    "  simtrain --platform torus.xml --processes 256 --strategy auto\n"
    "                                                       how each layer is best split, and why\n"
    "  simtrain sweep --platform torus.xml --processes 256  simulate every Pr x Pc = 256, ranked\n"
    "  simtrain merge grids.*-of-8.jsonl                    the shares of a sweep on many machines as one\n"
    "  simtrain cost --network alexnet --processes 512      communication on every grid by formula, at once\n"
    "  simtrain compare native.json simulated.json          two results of one job, phase by phase\n"
    "  simtrain flip bandwidth --platform torus.xml --processes 256\n"
    "                                                       at which bandwidth another grid is the best\n"
    "  simtrain collective all-reduce --bytes 64MiB --processes 1024 --platform torus:1024\n"
    "                                                       one collective alone\n"
    "  simtrain describe fat-tree.xml                       a platform: hosts, links, routes, bisection; --svg draws "
    "it\n\n"
    "A platform is a SimGrid XML file, a shipped machine (simtrain describe NAME), or one word: torus:8x8x4,\n"
    "fat-tree:16x16, leaf-spine:16x32, dragonfly:9x4x2, ethernet:48, crossbar:64, node:4 (README.md has the keys).\n\n";

int predict_command(const std::vector<std::string>& arguments) {
  po::options_description options = prediction_options();
  options.add_options()("bounds",
                        "where the time goes: simulate also without contention, latency, bandwidth (four simulations)");
  options.add(replica_options());
  options.add(grid_options());
  options.add(strategy_search_options());
  options.add(job_options(1, 0));
  options.add(output_options());
  std::vector<std::string> one_of = kGridOptions;
  one_of.emplace_back("processes");
  const po::variables_map values = parse_options(arguments, options, one_of);
  if (given(values, "help")) {
    std::cout
        << kUsage << options
        << "\nsimtrain sweep, merge, cost, compare, collective and describe with --help tell the options of these "
           "commands.\n";
    return 0;
  }
  if (given(values, "version")) {
    std::cout << "simtrain " << SIMTRAIN_VERSION << "\n";
    return 0;
  }
  PredictionOptions prediction = prediction_from(values);
  const ReplicaOptions replicas = replicas_from(values);
  for (const char* option : {"jobs", "memory"})
    if (replicas.count == 0 && given(values, option) && !values[option].defaulted())
      throw InputError("--" + std::string(option) +
                       ": given without --replicas; expected both, since one prediction is one simulation");
  prediction.bounds = given(values, "bounds");
  const auto how = strategy_search_from(values, parse_strategy("--strategy", text_of(values, "strategy")));
  const Grid grid = how ? Grid{} : grid_from(values);
  Job job = job_from(values);
  job.plan.grid = grid;
  const bool color = wants_color(values);
  const Outputs outputs = outputs_from(values, job);
  std::optional<StrategySearchResult> search;
  if (how) search = choose_strategy(job, prediction, *how);
  prediction.timeline = outputs.trace.timeline;
  Result result = replicas.count > 0
                      ? predict_with_replicas(job, prediction, replicas.within_memory(job.plan.grid.size()))
                      : predict(job, prediction);
  result.strategy_search = std::move(search);
  print_report(to_text(result), color);  // first: a file that cannot be written must not lose the run
  write_outputs(outputs, job, std::move(result));
  return 0;
}

int run(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return predict_command(arguments);
  const std::string command = arguments.front();
  arguments.erase(arguments.begin());
  if (command == "sweep") return sweep_command(arguments);
  if (command == "merge") return merge_command(arguments);
  if (command == "cost") return cost_command(arguments);
  if (command == "compare") return compare_command(arguments);
  if (command == "collective") return collective_command(arguments);
  if (command == "flip") return flip_command(arguments);
  if (command == "describe") return describe_command(arguments);
  throw InputError(
      unknown_choice("command", command, {"sweep", "merge", "cost", "compare", "flip", "collective", "describe"}));
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) {
  return simtrain::run_guarded("simtrain", [&] { return simtrain::run({argv + 1, argv + argc}); });
}
