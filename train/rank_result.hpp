// What one rank measured, and the sum over ranks.
#pragma once

#include <array>
#include <vector>

#include "kernels/kernels.hpp"
#include "train/plan.hpp"

namespace simtrain {

// Accounts of the kernels: one per report row and kind of work.
constexpr Account account_of(int row, Work work) { return row * kWorks + static_cast<int>(work); }

struct RankExchange {
  double seconds = 0;    // under way
  double exposed_s = 0;  // the part of them that the rank waited or worked for it, and computed nothing
  double bytes_sent = 0, messages = 0;

  void add(const RankExchange& other) {
    seconds += other.seconds;
    exposed_s += other.exposed_s;
    bytes_sent += other.bytes_sent;
    messages += other.messages;
  }
};

struct RankResult {
  Coordinates at;
  std::vector<double> iteration_seconds;                        // timed iterations
  std::vector<std::array<double, kWorks>> work_s;               // by row; sums over timed iterations
  std::vector<std::array<RankExchange, kExchanges>> exchanges;  // by row; sums over timed iterations
  std::vector<double> loss_sums;                                // by iteration, over the rank's samples; may be empty
};

}  // namespace simtrain
