#include <algorithm>
#include <cstdio>
#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/progress_line.hpp"
#include "base/units.hpp"
#include "report/color.hpp"
#include "sim/prediction/replicas.hpp"
#include "sim/prediction/sweep.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain sweep simulates every grid Pr x Pc of a number of processes and ranks them.\n\n"
    "  simtrain sweep --platform torus.xml --processes 256\n\n";

po::options_description sweep_options() {
  po::options_description options("The sweep");
  options.add_options()("processes", po::value<std::string>()->value_name("P"), "simulate all Pr x Pc = P");
  return options;
}

// On a terminal one line that changes, else a line per grid; on stderr, since stdout holds the table.
class SweepBar {
 public:
  explicit SweepBar(std::size_t total) : total_(total) {}

  void show(std::size_t done, const SweepPoint& point) {
    const std::string grid = to_string(Grid{point.grid_rows, point.grid_columns});
    const std::string outcome = point.result ? format_seconds(point.result->iteration_s) : std::string("not possible");
    if (point.result && (best_s_ == 0 || point.result->iteration_s < best_s_)) {
      best_s_ = point.result->iteration_s;
      best_ = grid + " " + outcome;
    }
    const std::string text = std::to_string(done) + " of " + std::to_string(total_) + " grids simulated, last " + grid +
                             ": " + outcome + ", best so far " + (best_.empty() ? "none" : best_);
    if (line_.on_terminal())
      line_.show(text);
    else
      std::fprintf(stderr, "%s\n", text.c_str());
  }

 private:
  std::size_t total_;
  ProgressLine line_;
  double best_s_ = 0;
  std::string best_;
};

}  // namespace

int sweep_command(const std::vector<std::string>& arguments) {
  po::options_description options = sweep_options();
  options.add(prediction_options());
  options.add(replica_options());
  options.add(job_options(1, 0));
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  if (!given(values, "processes"))
    throw InputError("--processes: is missing; expected the number of processes, such as --processes 256");
  const auto processes = static_cast<int>(parse_integer("--processes", text_of(values, "processes"), 1, 1 << 20));
  const ReplicaOptions replicas = replicas_from(values).within_memory(processes);
  const PredictionOptions prediction = prediction_from(values);
  const Job job = job_from(values);
  refuse_auto(job.plan.strategy, "simtrain --strategy auto --processes " + std::to_string(processes) +
                                     ", which tries all grids for each layer, or another strategy");
  const bool color = wants_color(values);
  (void)load_profile(prediction);  // says now what every grid would say
  if (replicas.count > 0) check_noise(job, prediction);
  const PlatformSummary platform = summarise_platform(prediction.platform);
  if (prediction.placement.kind != Placement::Kind::file && platform.hosts * prediction.ranks_per_host < processes)
    throw InputError("--processes: " + std::to_string(processes) + " is more than the " +
                     std::to_string(platform.hosts) + " hosts of platform '" + prediction.platform + "' hold, " +
                     std::to_string(prediction.ranks_per_host) + " on each");
  const std::vector<Grid> grids = grids_of(processes);
  std::vector<SweepPoint> points;
  {
    SweepBar progress(grids.size());
    points = sweep(job, prediction, grids, replicas.workers,
                   [&](std::size_t done, const SweepPoint& point) { progress.show(done, point); });
  }
  if (replicas.count > 0) add_replicas(points, job, prediction, replicas);
  print_report(sweep_to_text(points), color);
  if (!job.json_path.empty()) write_file(job.json_path, sweep_to_json(points));
  const bool any = std::any_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.result.has_value(); });
  const bool failed = std::any_of(points.begin(), points.end(), [](const SweepPoint& p) { return p.failed; });
  return any && !failed ? 0 : 1;
}

}  // namespace simtrain
