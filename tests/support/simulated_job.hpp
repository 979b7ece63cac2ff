// A training job simulated with a cost model of the test's own.
#pragma once

#include <numeric>

#include "kernels/modelled.hpp"
#include "sim/engine/progress.hpp"
#include "sim/engine/simulation.hpp"
#include "train/summary.hpp"
#include "train/trainer.hpp"

namespace simtrain {

// Runs one iteration of the plan on the first hosts of the platform, with phantom payloads. Once per process.
inline Result simulate(const Plan& plan, const std::string& platform, const CostModel& cost) {
  const Grid grid = plan.options.grid;
  std::vector<int> hosts(static_cast<std::size_t>(grid.size()));
  std::iota(hosts.begin(), hosts.end(), 0);
  ProgressLanes lanes(plan);
  Simulation simulation(platform, {.ranks = grid.size(), .progress_actors = lanes.needed()});
  PricedOperations prices(cost, 1);
  const SyntheticData data(plan.network, 1);
  Summary summary(plan);
  const auto train = [&](int rank) {
    const Coordinates me = grid.coordinates(rank);
    Collectives collectives(grid, me, plan.uses(Algorithm::mpi));
    payloads_off(rank);
    ModelledKernels kernels(prices, charge_compute, nullptr, [&] { return simulation.clock_s(); });
    TrainerOptions options;
    options.background = lanes.join(rank, kernels, 1);
    Trainer trainer(plan, me, kernels, collectives, data, options);
    simulation.align();
    summary.add(trainer.run(0, 1));
    lanes.leave(rank);
  };
  simulation.run(hosts, train, lanes.servers());
  return summary.finish();
}

}  // namespace simtrain
