// AlexNet iterations in both details: the cases on which docs/decisions/0008-merged-detail.md rests.
#pragma once

#include <string>
#include <vector>

#include "kernels/modelled.hpp"
#include "sim/engine/merged.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/analytic_cost.hpp"
#include "train/summary.hpp"
#include "train/trainer.hpp"

namespace simtrain {

struct MergedCase {
  std::string platform;
  Grid grid;
  Algorithm algorithm = Algorithm::ring;
  bool rows_together = false;  // the ranks of a grid row on neighbouring hosts, rather than those of a column
  double slowest = 1;          // ranks compute at different speeds: up to so many times slower than the fastest
  std::int64_t batch = 2048;

  [[nodiscard]] std::string text() const {
    return platform + " " + to_string(grid) + " " + std::string(name_of(algorithm)) +
           (rows_together ? " row-major" : "") +
           (slowest > 1 ? " slowest " + std::to_string(slowest).substr(0, 3) : "") +
           (batch != 2048 ? " batch " + std::to_string(batch) : "");
  }
};

// Seconds of the iteration, and of its communication as the mean over ranks.
struct MergedFigures {
  double iteration_s = 0, communication_s = 0;
  bool near = false;  // of a merged run: `--detail auto` would merge, were there messages enough
};

// Once per process.
inline MergedFigures run_case(const MergedCase& job, bool merged) {
  PlanOptions options;
  options.grid = job.grid;
  options.batch = job.batch;
  options.algorithm = job.algorithm;
  const Plan plan = make_plan(load_network(SOURCE_DIR "/scenarios/networks/alexnet.json"), options);
  AnalyticCost cost;  // a third to a half of an iteration on 256 ranks is communication
  cost.seconds_per_flop = 2e-12;
  cost.seconds_per_element = 1e-12;
  PricedOperations prices(cost, 1);
  std::vector<int> hosts;
  for (int rank = 0; rank < static_cast<int>(job.grid.size()); ++rank) {
    const Coordinates at = job.grid.coordinates(rank);
    hosts.push_back(job.rows_together ? at.row * job.grid.columns + at.column : rank);
  }
  Simulation simulation(job.platform, {.ranks = job.grid.size()});
  std::unique_ptr<MergedRounds> merging;
  if (merged) merging = std::make_unique<MergedRounds>(simulation, hosts, job.grid);
  const SyntheticData data(plan.network, 1);
  Summary summary(plan);
  simulation.run(hosts, [&](int rank) {
    const Coordinates me = job.grid.coordinates(rank);
    Collectives collectives(job.grid, me, false, kLargestMessageBytes, merging.get());
    payloads_off(rank);
    const double slower = 1 + (job.slowest - 1) * (rank * 37 % 101) / 100;
    ModelledKernels kernels(prices, [slower](double seconds) { charge_compute(seconds * slower); });
    Trainer trainer(plan, me, kernels, collectives, data, {.seed = 1, .schedule = {}});
    simulation.align();
    summary.add(trainer.run(0, 1));
  });
  const Result result = summary.finish();
  return {result.iteration_s, result.communication_s(), merging && merging->known_to_be_near(job.slowest <= 1)};
}

}  // namespace simtrain
