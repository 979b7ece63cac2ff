#include "calibrate/kernels_command.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <unordered_set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/option_lists.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/certificate.hpp"
#include "calibrate/companions.hpp"
#include "calibrate/mpi_ranks.hpp"
#include "kernels/blas_kernels.hpp"
#include "train/plan.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate kernels measures the kernels of training on one core of this machine and writes a profile.\n\n"
    "  calibrate kernels --output node.json                    what AlexNet (batch 2048 on 256 processes) and the\n"
    "                                                          MLP need, and shapes around it, in 5 minutes\n"
    "  calibrate kernels --network vgg.json --batch 512 --grid 8x8 --grid 4x16 --budget 10 --output node.json\n\n";

po::options_description options() {
  po::options_description description("Options");
  description.add_options()("help", "this text")                                                         //
      ("output", po::value<std::string>()->value_name("FILE"), "the profile; default: standard output")  //
      ("budget", po::value<std::string>()->default_value("5")->value_name("MINUTES"),
       "time for measuring, all loads together; every call is measured at least once, whatever it takes")  //
      ("loaded",
       "measure also with a process on every core at once, as ranks that share a node meet them")  //
      ("threads", po::value<std::string>()->default_value("1")->value_name("N"),
       "measure products also on 2, 4, ... N threads")  //
      ("repetitions", po::value<std::string>()->default_value("31")->value_name("N"),
       "times that every call is measured, budget permitting")  //
      ("seed", po::value<std::string>()->default_value("1")->value_name("N"),
       "of the shapes, their order and the samples kept aside")                                              //
      ("machine", po::value<std::string>()->value_name("NAME"), "name of the machine; default: the host's")  //
      ("network", po::value<std::vector<std::string>>()->composing()->value_name("NAME|FILE[:BATCH]"),
       "measure what this network needs; may be given several times; default: alexnet and mlp")   //
      ("batch", po::value<std::string>()->value_name("N"), "batch size; default: the network's")  //
      ("grid", po::value<std::vector<std::string>>()->composing()->value_name("RxC"),
       "measure what this grid needs; may be given several times; default: every grid of 1, 2 and 256 processes")  //
      ("strategy", list_value("HOW", "uniform"),
       "measure what these grids need with layers split so, as for simtrain: uniform, conv-batch, pair, domain, or "
       "grids "
       "by layer; several: repeated, or ' | ' between them");
  return description;
}

std::vector<std::string> texts_of(const po::variables_map& values, const std::string& option) {
  return given(values, option) ? values[option].as<std::vector<std::string>>() : std::vector<std::string>{};
}

// Every Pr x Pc of 1, 2 and 256 processes whose columns all have samples: what one node runs, and a cluster.
std::vector<Grid> default_grids(std::int64_t batch) {
  std::vector<Grid> grids;
  for (const int processes : {1, 2, 256})
    for (int rows = 1; rows <= processes; rows *= 2)
      if (processes / rows <= batch) grids.push_back({rows, processes / rows});
  return grids;
}

// "alexnet:32": the network and a batch of its own.
struct WantedNetwork {
  std::string name;
  std::optional<std::int64_t> batch;
};

WantedNetwork wanted_network(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {text, {}};
  return {text.substr(0, colon), parse_integer("--network " + text, text.substr(colon + 1), 1, std::int64_t{1} << 30)};
}

std::vector<Strategy> strategies_from(const po::variables_map& values) {
  std::vector<Strategy> strategies;
  for (const std::string& text : list_of(values, "strategy", Commas::part_of_values)) {
    const Strategy& strategy = strategies.emplace_back(parse_strategy("--strategy", text));
    refuse_auto(strategy, "the rules that simtrain --strategy auto has found");
    if (strategy.kind == Strategy::Kind::rules && !given(values, "grid"))
      throw InputError("--strategy: '" + text +
                       "' names grids, and no --grid is given; expected one of as many processes");
  }
  return strategies;
}

std::vector<Call> needed_calls(const po::variables_map& values) {
  const std::vector<Strategy> strategies = strategies_from(values);
  std::vector<std::string> networks = texts_of(values, "network");
  if (networks.empty()) networks = {"alexnet", "mlp"};
  std::vector<Grid> given_grids;
  for (const std::string& text : texts_of(values, "grid")) given_grids.push_back(parse_grid("--grid", text));
  std::unordered_set<Call, CallHash> calls;
  for (const std::string& text : networks) {
    const WantedNetwork wanted = wanted_network(text);
    const Network network = load_network(wanted.name);
    const std::int64_t batch = wanted.batch ? *wanted.batch
                               : given(values, "batch")
                                   ? parse_integer("--batch", text_of(values, "batch"), 1, std::int64_t{1} << 30)
                                   : network.default_batch;
    for (const Grid grid : given_grids.empty() ? default_grids(batch) : given_grids)
      for (const Strategy& strategy : strategies) {
        PlanOptions plan;
        plan.grid = grid;
        plan.batch = batch;
        plan.strategy = strategy;
        for (const Call& call : calls_of(make_plan(network, plan))) calls.insert(call);
      }
  }
  return {calls.begin(), calls.end()};
}

std::vector<Load> loads_from(const po::variables_map& values) {
  std::vector<Load> loads{{1, 1}};
  const auto most = static_cast<int>(parse_integer("--threads", text_of(values, "threads"), 1, Companions::cores()));
  for (int threads = 2; threads < most; threads *= 2) loads.push_back({threads, 1});
  if (most > 1) loads.push_back({most, 1});
  if (given(values, "loaded") && Companions::cores() > 1) loads.push_back({1, Companions::cores()});
  return loads;
}

}  // namespace

int kernels_command(const std::vector<std::string>& arguments) {
  const po::variables_map values = parse_options(arguments, options());
  if (given(values, "help")) {
    std::cout << kUsage << options();
    return 0;
  }
  if (const int processes = started_processes(); processes != 1)
    throw InputError("kernels: was started as " + std::to_string(processes) +
                     " processes, which would disturb each other; expected one, which starts those of --loaded itself");
  CalibrationOptions calibration;
  calibration.budget_s = 60 * parse_positive("--budget", text_of(values, "budget"));
  calibration.repetitions =
      static_cast<int>(parse_integer("--repetitions", text_of(values, "repetitions"), 1, 1'000'000));
  calibration.seed = static_cast<std::uint64_t>(
      parse_integer("--seed", text_of(values, "seed"), 0, std::numeric_limits<std::int64_t>::max()));
  calibration.loads = loads_from(values);
  calibration.command = shell_command("calibrate kernels", arguments);
  if (given(values, "machine")) calibration.machine = text_of(values, "machine");
  const std::string output = given(values, "output") ? text_of(values, "output") : "";
  if (given(values, "output")) check_writable("--output", output);
  const std::vector<Call> needed = needed_calls(values);
  if (const std::string warning = blas_warning(blas_identity()); !warning.empty())
    std::cerr << "calibrate: warning: " << warning << "\n";
  try {
    const Profile profile = calibrate_kernels(needed, calibration);
    if (output.empty())
      std::cout << profile.to_json();
    else
      write_file(output, profile.to_json());
    std::cerr << to_text(profile);
  } catch (const Interrupted&) {
    std::cerr << "calibrate: interrupted; nothing was written\n";
    return 130;  // 128 + SIGINT, as a shell reports it
  }
  return 0;
}

}  // namespace simtrain
