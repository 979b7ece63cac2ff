#include "sim/prediction/replicas.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/progress_line.hpp"
#include "base/units.hpp"
#include "sim/engine/footprint.hpp"
#include "sim/engine/workers.hpp"
#include "sim/prediction/sweep.hpp"

namespace po = boost::program_options;

namespace simtrain {

po::options_description replica_options() {
  const auto word = [](const char* name, const std::string& fallback) {
    return po::value<std::string>()->value_name(name)->default_value(fallback);
  };
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  po::options_description options("How certain it is");
  options.add_options()("replicas", po::value<std::string>()->value_name("N"),
                        "simulate N times more, with noise of the kernels and errors of the profile drawn from the "
                        "profile, by --seed; gives the interval of the iteration time")(
      "node-spread", word("PERCENT", "1"),
      "how much the nodes' computing times differ (standard deviation): an assumption, since a profile is of one node")(
      "jobs", word("N", std::to_string(cores)), "simulations at a time")(
      "memory", po::value<std::string>()->value_name("SIZE"),
      "of all simulations at a time, which makes them fewer (default: what this machine has left)");
  return options;
}

ReplicaOptions ReplicaOptions::within_memory(std::int64_t ranks) const {
  const double one_bytes = simulated_bytes(ranks);
  if (memory_bytes && *memory_bytes < one_bytes)
    throw InputError("--memory: " + format_bytes(*memory_bytes) + " does not hold a simulation of " +
                     std::to_string(ranks) + " ranks; expected at least " + format_bytes(one_bytes));
  ReplicaOptions fitting = *this;
  if (const std::optional<double> budget = memory_bytes ? memory_bytes : available_bytes())
    fitting.workers = static_cast<int>(std::clamp(*budget / one_bytes, 1.0, static_cast<double>(workers)));
  return fitting;
}

ReplicaOptions replicas_from(const po::variables_map& values) {
  ReplicaOptions options;
  options.workers = static_cast<int>(parse_integer("--jobs", text_of(values, "jobs"), 1, 1024));
  if (given(values, "memory"))
    options.memory_bytes = static_cast<double>(parse_bytes("--memory", text_of(values, "memory")));
  if (given(values, "replicas"))
    options.count = static_cast<int>(parse_integer("--replicas", text_of(values, "replicas"), 1, 100'000));
  else if (!values["node-spread"].defaulted())
    throw InputError("--node-spread: given without --replicas; expected both, since only replicas have unlike nodes");
  const std::string spread = text_of(values, "node-spread");
  constexpr double kMostPercent = 100;
  const double percent = spread == "0" ? 0 : parse_positive("--node-spread", spread);
  if (percent > kMostPercent)
    throw InputError("--node-spread: '" + spread + "' is not valid; expected a percentage from 0 to 100");
  options.node_spread = percent / 100;
  return options;
}

namespace {

// What a child does: the seconds of an iteration in a replica, to the last bit.
std::string simulate_replica(Job job, PredictionOptions options, const ReplicaOptions& replicas,
                             const SweepPoint& point, int replica) {
  const Grid grid{point.grid_rows, point.grid_columns};
  job.plan.grid = grid;
  options.real_numerics = false;  // numbers take no part in what an iteration takes
  options.costs_of_slow_parts = false;
  options.bounds = false;
  options.timeline.reset();
  if (options.placement.kind == Placement::Kind::automatic)  // as the undisturbed prediction chose
    options.placement = parse_placement_name(point.result->job.placement);
  options.disturbance = Disturbance{job.seed, replica, replicas.node_spread};
  return nlohmann::json(predict(job, options).iteration_s).dump();
}

// The first failure of a point's replicas is its error.
void note(SweepPoint& point, const TaskOutcome& outcome, std::size_t replica) {
  if (outcome.kind == TaskOutcome::Kind::answer) {
    if (point.result) point.result->replicas->iteration_seconds[replica] = nlohmann::json::parse(outcome.text);
    return;
  }
  if (!point.result) return;
  point.result.reset();
  point.failed = outcome.kind == TaskOutcome::Kind::failure;
  point.error = "replica " + std::to_string(replica + 1) + ": " + outcome.text;
}

}  // namespace

void check_noise(const Job& job, const PredictionOptions& options) {
  const Profile profile = load_profile(options);
  const ReplicaNoise noise(profile.at({job.threads, 1}), profile.path(), {});
}

void add_replicas(std::vector<SweepPoint>& points, const Job& job, const PredictionOptions& options,
                  const ReplicaOptions& replicas) {
  const auto count = static_cast<std::size_t>(replicas.count);
  for (SweepPoint& point : points)
    if (point.result) point.result->replicas = {job.seed, replicas.node_spread, std::vector<double>(count)};
  const std::size_t total = points.size() * count;  // task t: replica t % count of point t / count
  Workers running;
  ProgressLine line;
  const auto show = [&](std::size_t done) {
    line.show(std::to_string(done) + " of " + std::to_string(total) + " replicas simulated");
  };
  for (std::size_t next = 0, done = 0; next < total || running.running() > 0;) {
    for (; next < total && running.running() < static_cast<std::size_t>(replicas.workers); ++next) {
      const SweepPoint& point = points[next / count];
      if (!point.result) {
        show(++done);
        continue;
      }
      running.start(next,
                    [&] { return simulate_replica(job, options, replicas, point, static_cast<int>(next % count)); });
    }
    if (running.running() == 0) break;
    const TaskOutcome outcome = running.next_done();
    note(points[outcome.task / count], outcome, outcome.task % count);
    show(++done);
  }
}

Result predict_with_replicas(const Job& job, const PredictionOptions& options, const ReplicaOptions& replicas) {
  check_noise(job, options);
  std::vector<SweepPoint> points =
      sweep(job, options, {job.plan.grid}, 1, [](std::size_t, const SweepPoint&) {});  // says first what is wrong
  add_replicas(points, job, options, replicas);
  if (points[0].failed) throw Failure(points[0].error);
  if (!points[0].result) throw InputError(points[0].error);
  return *points[0].result;
}

}  // namespace simtrain
