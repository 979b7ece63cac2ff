#include <nlohmann/json.hpp>

#include "sim/sweep/progress.hpp"
#include "sim/sweep/run.hpp"

namespace simtrain {

namespace {

struct Task {
  std::size_t point = 0;
  int replica = 0;
};

// Those that are not known yet.
std::vector<Task> tasks_of(const PointOutlooks& outlooks, int count, SweepLedger& ledger) {
  std::vector<Task> tasks;
  for (const auto& [point, outlook] : outlooks) {
    const PointState& state = ledger.state(point);
    for (int replica = 0; state.result && replica < count; ++replica)
      if (!state.replicas.contains(replica) && !state.replica_errors.contains(replica))
        tasks.push_back({point, replica});
  }
  return tasks;
}

void note(const TaskOutcome& outcome, const Task& task, SweepLedger& ledger) {
  switch (outcome.kind) {
    case TaskOutcome::Kind::answer:
      return ledger.replica(task.point, task.replica, nlohmann::json::parse(outcome.text).get<double>());
    case TaskOutcome::Kind::input_error:
      return ledger.replica_error(task.point, task.replica, outcome.text);
    case TaskOutcome::Kind::failure:
      return ledger.failure(task.point, "replica " + std::to_string(task.replica + 1) + ": " + outcome.text);
  }
}

}  // namespace

void run_replicas(const SweepJobs& jobs, const PointOutlooks& outlooks, const ReplicaOptions& replicas,
                  const TaskLimits& limits, SweepLedger& ledger) {
  const std::vector<Task> tasks = tasks_of(outlooks, replicas.count, ledger);
  std::size_t with_result = 0;
  for (const auto& [point, outlook] : outlooks) with_result += ledger.state(point).result ? 1 : 0;
  double costs = 0;
  for (const Task& task : tasks) costs += outlooks.at(task.point).cost;
  const std::size_t total = with_result * static_cast<std::size_t>(replicas.count);
  SweepProgress progress("replicas", total, total - tasks.size(), costs, limits.workers, SweepProgress::Log::none);
  std::size_t next = 0;
  const auto take_next = [&]() -> std::optional<NextTask> {
    if (next == tasks.size()) return std::nullopt;
    const PointOutlook& outlook = outlooks.at(tasks[next].point);
    progress.begun(next, outlook.cost);
    return NextTask{next++, outlook.memory_bytes};
  };
  const auto work = [&](std::size_t i) {
    return ledger.in_child([&] {
      const PointJob at = jobs.at(tasks[i].point);
      const std::string& placement = ledger.state(tasks[i].point).result->job.placement;
      return nlohmann::json(replica_seconds(at.job, at.options, replicas, placement, tasks[i].replica)).dump();
    });
  };
  run_tasks(limits, take_next, work, [&](const TaskOutcome& outcome) {
    progress.ended(outcome.task);
    note(outcome, tasks[outcome.task], ledger);
    progress.show("", "");
  });
}

}  // namespace simtrain
