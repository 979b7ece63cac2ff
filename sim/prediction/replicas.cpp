#include "sim/prediction/replicas.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/progress_line.hpp"
#include "base/units.hpp"
#include "report/json.hpp"
#include "sim/engine/footprint.hpp"
#include "sim/engine/workers.hpp"
#include "sim/prediction/what_if.hpp"

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
  if (const std::optional<double> budget = budget_bytes())
    fitting.workers = static_cast<int>(std::clamp(*budget / one_bytes, 1.0, static_cast<double>(workers)));
  return fitting;
}

std::optional<double> ReplicaOptions::budget_bytes() const { return memory_bytes ? memory_bytes : available_bytes(); }

ReplicaOptions replicas_from(const po::variables_map& values) {
  ReplicaOptions options;
  options.workers = static_cast<int>(parse_integer("--jobs", text_of(values, "jobs"), 1, 1024));
  if (given(values, "memory"))
    options.memory_bytes = static_cast<double>(parse_bytes("--memory", text_of(values, "memory")));
  if (given(values, "replicas"))
    options.count = static_cast<int>(parse_integer("--replicas", text_of(values, "replicas"), 1, 100'000));
  else if (!values["node-spread"].defaulted())
    throw InputError("--node-spread: given without --replicas; expected both, since only replicas have unlike nodes");
  options.node_spread = parse_node_spread(text_of(values, "node-spread"));
  return options;
}

double parse_node_spread(const std::string& text) {
  constexpr double kMostPercent = 100;
  const double percent = text == "0" ? 0 : parse_positive("--node-spread", text);
  if (percent > kMostPercent)
    throw InputError("--node-spread: '" + text + "' is not valid; expected a percentage from 0 to 100");
  return percent / 100;
}

void check_noise(const Job& job, const PredictionOptions& options) {
  const std::shared_ptr<const Profile> profile = load_profile(options);
  const ReplicaNoise noise(profile->at({job.threads, 1}), profile->path(), {});
}

double replica_seconds(Job job, PredictionOptions options, const ReplicaOptions& replicas, const std::string& placement,
                       int replica) {
  options = placed_as(times_only(std::move(options)), placement);
  options.disturbance = Disturbance{job.seed, replica, replicas.node_spread};
  return predict(job, options).iteration_s;
}

namespace {

[[noreturn]] void rethrow(const TaskOutcome& outcome, const std::string& what) {
  if (outcome.kind == TaskOutcome::Kind::failure) throw Failure(what + outcome.text);
  throw InputError(what + outcome.text);
}

// In a child, since only one simulation fits in a process; with all that is simulated beside it.
Result predict_whole(const Job& job, const PredictionOptions& options) {
  std::optional<TaskOutcome> outcome;
  run_tasks(
      {}, 1, [&](std::size_t) { return to_json(predict(job, options)); },
      [&](const TaskOutcome& only) { outcome = only; });
  if (outcome->kind != TaskOutcome::Kind::answer) rethrow(*outcome, "");
  return result_from_json("the simulation of " + to_string(job.plan.grid), outcome->text);
}

}  // namespace

Result predict_with_replicas(const Job& job, const PredictionOptions& options, const ReplicaOptions& replicas) {
  check_noise(job, options);
  Result result = predict_whole(job, options);  // says first what is wrong
  const auto count = static_cast<std::size_t>(replicas.count);
  result.replicas = {job.seed, replicas.node_spread, std::vector<double>(count)};
  std::optional<TaskOutcome> first_error;
  std::size_t done = 0;
  ProgressLine line;
  run_tasks(
      {replicas.workers, {}}, count,
      [&](std::size_t i) {
        const std::string& placement = result.job.placement;
        return nlohmann::json(replica_seconds(job, options, replicas, placement, static_cast<int>(i))).dump();
      },
      [&](const TaskOutcome& outcome) {
        if (outcome.kind == TaskOutcome::Kind::answer)
          result.replicas->iteration_seconds[outcome.task] = nlohmann::json::parse(outcome.text);
        else if (!first_error || outcome.task < first_error->task)
          first_error = outcome;
        line.show(std::to_string(++done) + " of " + std::to_string(count) + " replicas simulated");
      });
  line.erase();
  if (first_error) rethrow(*first_error, "replica " + std::to_string(first_error->task + 1) + ": ");
  return result;
}

}  // namespace simtrain
