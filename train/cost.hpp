// What an iteration costs by formula, beside what the simulation says.
//
// alpha_beta_cost executes the plan for all ranks on clocks of their own: computing adds the profile's seconds; in a
// round of a collective a message starts when both ends are ready and takes alpha + n*beta; a member's round ends when
// its message out and its message in are done. That is the time on a network without contention whose every route has
// latency alpha and bandwidth 1/beta, exactly, also for uneven blocks and ranks out of step. Work: one addition per
// message, nothing per byte.
//
// paper_cost is formula (8) of Gholami et al., arXiv 1712.04432, as printed:
//   3 sum_i (alpha ceil(log Pr) + beta (B/Pc) (Pr-1)/Pr d_i) + 2 sum_i (alpha ceil(log Pc) + beta (Pc-1)/Pc |W_i|/Pr)
// with d_i before pooling and |W_i| without biases, 4-byte words. It charges the all-reduce of dX with d_i, where
// d_(i-1) is moved, and charges the first layer, which needs none.
#pragma once

#include <vector>

#include "kernels/modelled.hpp"
#include "train/plan.hpp"

namespace simtrain {

struct AlphaBeta {
  double latency_s = 0;
  double seconds_per_byte = 0;
};

// Seconds by report row.
struct ExchangeSeconds {
  std::array<double, kExchanges> by_exchange{};
  [[nodiscard]] double operator[](Exchange exchange) const { return by_exchange[static_cast<std::size_t>(exchange)]; }
  double& operator[](Exchange exchange) { return by_exchange[static_cast<std::size_t>(exchange)]; }
};

struct AlphaBetaCost {
  double iteration_s = 0;                  // the last rank's clock
  std::vector<ExchangeSeconds> exchanges;  // by row, mean over ranks: from a rank's call to its return
  std::vector<double> extrapolated_s;      // by row, mean over ranks: computing outside the profile's measured range
};
// Algorithm::mpi has no schedule of ours: its steps are priced as what `automatic` would choose.
AlphaBetaCost alpha_beta_cost(const Plan& plan, PricedOperations& prices, AlphaBeta network);

// One collective alone, all members starting at `clocks` (one per member), which it advances. Exposed for tests.
void advance_clocks(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, AlphaBeta network,
                    const std::function<double(std::int64_t)>& addition_s, std::vector<double>& clocks);

// Who talks to whom: up to `ranks` evenly spaced ranks with the ranks that their messages go to, each pair as often as
// it is met in a sample of the rounds. For the mean latency of a job on a platform.
std::vector<std::pair<int, int>> sample_messages(const Plan& plan, int ranks);

std::vector<ExchangeSeconds> paper_cost(const Plan& plan, AlphaBeta network);

}  // namespace simtrain
