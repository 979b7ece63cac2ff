// What an iteration costs by its own schedules, beside what the simulation says. The paper's formulas are in
// train/formulas.hpp.
//
// alpha_beta_cost executes the plan for all ranks on clocks of their own: computing adds the profile's seconds; in a
// round of a collective a message starts when both ends are ready and takes alpha + n*beta; a member's round ends when
// its message out and its message in are done. That is the time on a network without contention whose every route has
// latency alpha and bandwidth 1/beta, exactly, also for uneven blocks and ranks out of step. Work: one addition per
// message, nothing per byte.
//
// The messages of a halo exchange are in flight at once and share their ends' links: each takes alpha and beta times
// all that its sender sends or its receiver receives, whichever is more. That is exact where strips have equal halos
// and are in step. What is computed between begin and end hides as much of it; copies and what is left are counted.
#pragma once

#include <functional>
#include <vector>

#include "kernels/modelled.hpp"
#include "train/formulas.hpp"
#include "train/plan.hpp"
#include "train/redistribution.hpp"

namespace simtrain {

struct AlphaBetaCost {
  double iteration_s = 0;                  // the last rank's clock
  std::vector<ExchangeSeconds> exchanges;  // by row, mean over ranks: from a rank's call to its return
  std::vector<double> extrapolated_s;      // by row, mean over ranks: computing outside the profile's measured range
};
// Algorithm::mpi has no schedule of ours: its steps are priced as what `automatic` would choose.
AlphaBetaCost alpha_beta_cost(const Plan& plan, PricedOperations& prices, AlphaBeta network);

// When a message between two ranks is through that are ready at these times.
double message_end(double ready_a, double ready_b, std::int64_t floats, AlphaBeta network);
// The schedule that a step is priced by.
Algorithm schedule_of(const CollectiveStep& step, const Partition& blocks);

// One collective alone, all members starting at `clocks` (one per member), which it advances. Exposed for tests.
void advance_clocks(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, AlphaBeta network,
                    const std::function<double(std::int64_t)>& addition_s, std::vector<double>& clocks);

// The same for a redistribution; one clock per rank. copy_s: of the block of so many floats that a rank keeps or packs.
void advance_clocks(const Redistribution& array, AlphaBeta network, const std::function<double(std::int64_t)>& copy_s,
                    std::vector<double>& clocks);

// The two steps of a halo exchange. begin: copies of the floats that are packed and kept; returns when the messages of
// each rank are through. end: waits until then, and copies, or adds, what goes through scratch.
struct HaloPrices {  // seconds for so many floats
  std::function<double(std::int64_t)> copy_s, add_s, clear_s;
};
std::vector<double> begin_halo(const Halo& halo, AlphaBeta network, const HaloPrices& prices,
                               std::vector<double>& clocks);
void end_halo(const Halo& halo, const HaloPrices& prices, const std::vector<double>& through,
              std::vector<double>& clocks);

// Who talks to whom: up to `ranks` evenly spaced ranks with the ranks that their messages go to, each pair as often as
// it is met in a sample of the rounds. For the mean latency of a job on a platform.
std::vector<std::pair<int, int>> sample_messages(const Plan& plan, int ranks);

}  // namespace simtrain
