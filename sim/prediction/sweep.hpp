// Every grid of a number of processes, simulated in child processes: SimGrid's engine is one per process, and a
// simulation uses one core.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "sim/platform/platform.hpp"
#include "sim/prediction/prediction.hpp"

namespace simtrain {

// Simulates `job` on each grid, up to `workers` at a time. A grid that cannot be simulated gets the reason in its
// point's error. `progress(done, point)` is called in this process as each one ends. The points come back in the order
// of `grids`, whatever order they finished in.
std::vector<SweepPoint> sweep(const Job& job, const PredictionOptions& options, const std::vector<Grid>& grids,
                              int workers, const std::function<void(std::size_t, const SweepPoint&)>& progress);

// simtrain sweep ...
int sweep_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
