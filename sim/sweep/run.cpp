#include "sim/sweep/run.hpp"

#include <algorithm>

#include "base/units.hpp"
#include "report/json.hpp"
#include "sim/sweep/assemble.hpp"
#include "sim/sweep/progress.hpp"

namespace simtrain {

namespace {

class PointsRun {
 public:
  PointsRun(const SweepJobs& jobs, const PointOutlooks& outlooks, const TaskLimits& limits, SweepLedger& ledger)
      : jobs_(jobs), outlooks_(outlooks), limits_(limits), ledger_(ledger), fastest_(ledger.inputs()) {}

  void run() {
    for (const auto& [point, outlook] : outlooks_) look(point, outlook);
    if (pruned()) {
      run_bounds(jobs_, open_, limits_, ledger_);
      std::stable_sort(open_.begin(), open_.end(), [&](std::size_t a, std::size_t b) { return bound(a) < bound(b); });
    }
    simulate();
  }

 private:
  // What makes no sense is told at once, and what is left to do is known.
  void look(std::size_t point, const PointOutlook& outlook) {
    const PointState& state = ledger_.state(point);
    if (state.result) note_time(point, state.result->iteration_s);
    if (state.settled()) return;
    if (!outlook.impossible.empty())
      ledger_.error(point, outlook.impossible);
    else if (!outlook.not_here.empty())
      ledger_.limit_here(point, outlook.not_here);
    else
      open_.push_back(point);
  }

  void simulate() {
    double costs = 0;
    for (const std::size_t point : open_) costs += outlooks_.at(point).cost;
    SweepProgress progress("points", outlooks_.size(), outlooks_.size() - open_.size(), costs, limits_.workers,
                           SweepProgress::Log::every);
    auto next = open_.begin();
    const auto take_next = [&]() -> std::optional<NextTask> {
      for (; next != open_.end() && cannot_win(*next); ++next) {
        ledger_.skipped(*next);
        progress.skipped(outlooks_.at(*next).cost);
      }
      if (next == open_.end()) return std::nullopt;
      const PointOutlook& outlook = outlooks_.at(*next);
      progress.begun(*next, outlook.cost);
      return NextTask{*next++, outlook.memory_bytes};
    };
    const auto work = [&](std::size_t point) {
      return ledger_.in_child([&] {
        const PointJob at = jobs_.at(point);
        return to_json(predict(at.job, at.options));
      });
    };
    run_tasks(limits_, take_next, work, [&](const TaskOutcome& outcome) {
      progress.ended(outcome.task);
      const std::string what = note(outcome);
      progress.show(ledger_.label(outcome.task) + ": " + what, best_);
    });
  }

  [[nodiscard]] bool pruned() const { return ledger_.inputs().pruned(); }
  [[nodiscard]] double bound(std::size_t point) { return ledger_.state(point).lower_bound_s.value_or(0); }
  [[nodiscard]] bool cannot_win(std::size_t point) {
    return pruned() && fastest_.beats(ledger_.place(point), bound(point));
  }

  // In a few words.
  std::string note(const TaskOutcome& outcome) {
    switch (outcome.kind) {
      case TaskOutcome::Kind::failure:
        ledger_.failure(outcome.task, outcome.text);
        return "failed";
      case TaskOutcome::Kind::input_error:
        ledger_.error(outcome.task, outcome.text);
        return "not possible";
      case TaskOutcome::Kind::answer:
        break;
    }
    ledger_.result(outcome.task, outcome.text);
    const double iteration_s = ledger_.state(outcome.task).result->iteration_s;
    note_time(outcome.task, iteration_s);
    return format_seconds(iteration_s);
  }

  void note_time(std::size_t point, double iteration_s) {
    const SpacePoint place = ledger_.place(point);
    fastest_.note(place, iteration_s);
    const double cost_s = iteration_s / images_compared(ledger_.inputs(), place);
    if (!best_.empty() && cost_s >= best_cost_s_) return;
    best_cost_s_ = cost_s;
    best_ = ledger_.label(point) + " " + format_seconds(iteration_s);
  }

  const SweepJobs& jobs_;
  const PointOutlooks& outlooks_;
  const TaskLimits& limits_;
  SweepLedger& ledger_;
  std::vector<std::size_t> open_;  // to be simulated, in this order
  FastestSoFar fastest_;
  double best_cost_s_ = 0;
  std::string best_;
};

}  // namespace

void run_points(const SweepJobs& jobs, const PointOutlooks& outlooks, const TaskLimits& limits, SweepLedger& ledger) {
  PointsRun(jobs, outlooks, limits, ledger).run();
}

}  // namespace simtrain
