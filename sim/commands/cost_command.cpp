#include "sim/commands/cost_command.hpp"

#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/profile.hpp"
#include "report/color.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"
#include "train/job.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain cost prints what an iteration communicates on every grid Pr x Pc of a number of processes: by the\n"
    "formulas of Gholami et al. as printed, and by the messages of this program without contention. Nothing is\n"
    "simulated, and a million processes take no longer than eight. Computing takes no time, but with --profile.\n\n"
    "  simtrain cost --network alexnet --batch 2048 --processes 512\n"
    "  simtrain cost --processes 512 --strategy conv-batch       the setting of the paper's figure 7\n"
    "  simtrain cost --processes 1024 --batch 512 --strategy domain           and of its figure 10\n"
    "  simtrain cost --processes 256 --profile xeon-openblas-0.3.21-skylakex  which grid computes fastest\n\n";

po::options_description cost_options() {
  po::options_description options("The cost");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("processes", word("P"), "all grids Pr x Pc = P")(
      "network", word("NAME|FILE")->default_value("alexnet"), "network: a shipped one or a JSON file")(
      "batch", word("N"), "samples of one iteration, over all processes (default: the network's)")(
      "latency", word("TIME")->default_value("2us"), "alpha, of a message")(
      "bandwidth", word("RATE")->default_value("6GBps"), "1/beta")(
      "strategy", word("HOW")->default_value("uniform"),
      "which layers are on the grid: uniform, conv-batch, pair, domain, or grids by layer, as for a prediction")(
      "collectives", word("NAME")->default_value("auto"), "algorithms of the schedules, as for a prediction")(
      "gather", word("WHEN")->default_value("after-pooling"), "of the schedules: after-pooling or before-pooling")(
      "most-messages", word("N")->default_value("6000000"),
      "price the schedules of grids until they have sent so many, fewest first: 5 million take a second or two")(
      "profile", word("NAME|FILE"),
      "price computing too, with these kernel times: seconds and Gflop/s of a rank, and the iteration")(
      "json", word("FILE"), "write the figures as JSON (docs/cost.schema.json)")("help", "this text");
  add_color_option(options);
  return options;
}

CostJob read_job(const std::vector<std::string>& arguments, const po::variables_map& values) {
  if (!given(values, "processes"))
    throw InputError("--processes: is missing; expected the number of processes, such as --processes 512");
  CostJob job;
  job.processes = static_cast<int>(parse_integer("--processes", text_of(values, "processes"), 1, 1 << 20));
  job.network = load_network(text_of(values, "network"));
  job.plan.batch = given(values, "batch") ? parse_integer("--batch", text_of(values, "batch"), 1, INT32_MAX)
                                          : job.network.default_batch;
  job.plan.algorithm = parse_algorithm("--collectives", text_of(values, "collectives"));
  job.plan.gather = parse_gather("--gather", text_of(values, "gather"));
  job.plan.strategy = parse_strategy("--strategy", text_of(values, "strategy"));
  refuse_auto(job.plan.strategy,
              "another strategy, or simtrain --strategy auto, whose report has the costs of what it finds");
  job.latency_s = parse_seconds("--latency", text_of(values, "latency"));
  job.bandwidth_Bps = parse_bandwidth_Bps("--bandwidth", text_of(values, "bandwidth"));
  job.most_messages =
      static_cast<double>(parse_integer("--most-messages", text_of(values, "most-messages"), 0, std::int64_t{1} << 40));
  if (given(values, "profile"))
    job.profile = find_data_file("profile", "profiles", text_of(values, "profile"), ".json").string();
  std::vector<InputFile> files{{"network", text_of(values, "network"),
                                find_data_file("network", "scenarios/networks", text_of(values, "network"), ".json")}};
  if (!job.profile.empty()) files.push_back({"profile", text_of(values, "profile"), job.profile});
  if (given(values, "json")) check_output("--json", text_of(values, "json"));
  check_apart(outputs_of(values), names_of(files));
  job.passport = make_passport("simtrain", as_typed("cost", arguments), {}, files);
  return job;
}

void fill_table(CostJob& job) {
  const AlphaBeta speed{job.latency_s, 1 / job.bandwidth_Bps};
  if (job.profile.empty()) {
    job.table = cost_table(job.network, job.plan, job.processes, speed, {job.most_messages});
  } else {
    const Profile profile = Profile::open(job.profile);
    PricedOperations prices(profile, 1);
    job.table = cost_table(job.network, job.plan, job.processes, speed, {job.most_messages, &prices});
  }
}

}  // namespace

AskedAgain cost_again(const std::vector<std::string>& arguments) {
  CostJob job = read_job(arguments, parse_options(arguments, cost_options()));
  return {*job.passport, [job]() mutable {
            fill_table(job);
            return to_json(job);
          }};
}

int cost_command(const std::vector<std::string>& arguments) {
  const po::options_description options = cost_options();
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  const ReportStyle style = report_style(values);
  CostJob job = read_job(arguments, values);
  fill_table(job);
  if (given(values, "json")) write_file(text_of(values, "json"), to_json(job));
  print_report(to_text(job), style);
  return 0;
}

}  // namespace simtrain
