#include "sim/prediction/sweep.hpp"

#include "report/json.hpp"
#include "sim/engine/workers.hpp"

namespace simtrain {

namespace {

SweepPoint point_of(const TaskOutcome& outcome, Grid grid) {
  SweepPoint point{grid.rows, grid.columns, {}, {}};
  if (outcome.kind == TaskOutcome::Kind::answer) {
    point.result = result_from_json("the simulation of " + to_string(grid), outcome.text);
  } else {
    point.error = outcome.text;
    point.failed = outcome.kind == TaskOutcome::Kind::failure;
  }
  return point;
}

}  // namespace

std::vector<SweepPoint> sweep(const Job& job, const PredictionOptions& options, const std::vector<Grid>& grids,
                              int workers, const std::function<void(std::size_t, const SweepPoint&)>& progress) {
  std::vector<SweepPoint> points(grids.size());
  PredictionOptions of_point = options;
  if (grids.size() > 1) {
    of_point.processes = 1;  // the workers are enough
    of_point.costs_of_slow_parts = false;
  }
  Workers running;
  std::size_t started = 0;
  for (std::size_t done = 0; done < grids.size();) {
    for (; started < grids.size() && running.running() < static_cast<std::size_t>(workers); ++started)
      running.start(started, [&] {
        Job on_grid = job;
        on_grid.plan.grid = grids[started];
        return to_json(predict(on_grid, of_point));
      });
    const TaskOutcome outcome = running.next_done();
    points[outcome.task] = point_of(outcome, grids[outcome.task]);
    progress(++done, points[outcome.task]);
  }
  return points;
}

}  // namespace simtrain
