#include "sim/commands/predict_command.hpp"

#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/options.hpp"
#include "report/color.hpp"
#include "report/terminal.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/engine/engine.hpp"
#include "sim/prediction/choose_strategy.hpp"
#include "sim/prediction/prediction.hpp"
#include "sim/prediction/prediction_files.hpp"
#include "sim/prediction/replicas.hpp"
#include "train/job_files.hpp"

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
    "fat-tree:16x16, leaf-spine:16x32, dragonfly:9x4x2, ethernet:48, crossbar:64, node:4 (docs/guide.md has more).\n\n";

po::options_description predict_options() {
  po::options_description options = prediction_options();
  options.add_options()("bounds",
                        "where the time goes: simulate also without contention, latency, bandwidth (four simulations)");
  options.add(replica_options());
  options.add(grid_options());
  options.add(strategy_search_options());
  options.add(job_options(1, 0));
  options.add(output_options());
  return options;
}

po::variables_map parse(const std::vector<std::string>& arguments, const po::options_description& options) {
  std::vector<std::string> one_of = kGridOptions;
  one_of.emplace_back("processes");
  return parse_options(arguments, options, one_of);
}

// All that was asked for, read and checked before anything is simulated.
struct Request {
  PredictionOptions prediction;
  ReplicaOptions replicas;
  decltype(strategy_search_from({}, {})) search;
  Job job;
  Outputs outputs;
  Passport passport;
};

Request read_request(const std::vector<std::string>& arguments, const po::variables_map& values) {
  Request request;
  request.prediction = prediction_from(values);
  request.replicas = replicas_from(values);
  for (const char* option : {"jobs", "memory"})
    if (request.replicas.count == 0 && given(values, option) && !values[option].defaulted())
      throw InputError("--" + std::string(option) +
                       ": given without --replicas; expected both, since one prediction is one simulation");
  request.prediction.bounds = given(values, "bounds");
  request.search = strategy_search_from(values, parse_strategy("--strategy", text_of(values, "strategy")));
  const Grid grid = request.search ? Grid{} : grid_from(values);
  request.job = job_from(values);
  request.job.plan.grid = grid;
  request.outputs = outputs_from(values, request.job, request.search ? request.search->processes : grid.size());
  std::vector<InputFile> files = job_files(values);
  for (InputFile& file : prediction_files(request.prediction)) files.push_back(std::move(file));
  check_apart(outputs_of(values), names_of(files));
  request.passport = make_passport("simtrain", arguments, {{"SimGrid", simgrid_version()}}, files);
  return request;
}

Result run(Request& request) {
  std::optional<StrategySearchResult> search;
  if (request.search) search = choose_strategy(request.job, request.prediction, *request.search);
  const Job& job = request.job;
  request.prediction.timeline = request.outputs.trace.timeline;
  Result result =
      request.replicas.count > 0
          ? predict_with_replicas(job, request.prediction, request.replicas.within_memory(job.plan.grid.size()))
          : predict(job, request.prediction);
  result.strategy_search = std::move(search);
  result.passport = request.passport;
  return result;
}

}  // namespace

Passport passport_as_asked(const std::vector<std::string>& arguments) {
  return read_request(arguments, parse(arguments, predict_options())).passport;
}

Result predict_as_asked(const std::vector<std::string>& arguments) {
  Request request = read_request(arguments, parse(arguments, predict_options()));
  return run(request);
}

int predict_command(const std::vector<std::string>& arguments) {
  const po::options_description options = predict_options();
  const po::variables_map values = parse(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options
              << "\nsimtrain help lists topics. simtrain sweep, merge, cost, compare, flip, rerun, collective, "
                 "describe and doctor with --help tell the "
                 "options of "
                 "these commands.\n";
    return 0;
  }
  if (given(values, "version")) {
    std::cout << "simtrain " << SIMTRAIN_VERSION << "\n";
    return 0;
  }
  Request request = read_request(arguments, values);
  const ReportStyle style = report_style(values);
  Result result = run(request);
  print_report(to_text(result), style);  // first: a file that cannot be written must not lose the run
  write_outputs(request.outputs, request.job, std::move(result));
  return 0;
}

}  // namespace simtrain
