// When the phases of an iteration ran and for how long: one entry for each report row and phase, folded over ranks and
// timed iterations. Its size depends on neither, but for one number per phase of at most kMostSamples iterations: the
// ranks of a simulation share one log, and natively each rank's own are reduced into one (train/gather_ranks.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/kernels.hpp"
#include "train/plan.hpp"

namespace simtrain {

// Forward, backward, update, all-gather, reduce data, reduce weights, redistribute, halo, reduce output; additions
// and packing are part of their exchange.
inline constexpr int kRowPhases = 3 + kExchanges;
constexpr int phase_of(Work work) { return static_cast<int>(work); }  // Precondition: no additions
constexpr int phase_of(Exchange exchange) { return 3 + static_cast<int>(exchange); }

// Calls visit(row, exchange) for the exchanges of an iteration, in the order of its steps. A row may have several of a
// kind.
void for_each_exchange(const Plan& plan, const std::function<void(int row, Exchange exchange)>& visit);

class PhaseLog {
 public:
  static constexpr std::int64_t kMostSamples = 1000;

  // `iterations` >= 1: the timed ones of the whole job. Beyond kMostSamples, every second, third, ... one is sampled.
  PhaseLog(const Plan& plan, std::int64_t iterations);

  // Whether the plan has such a phase.
  [[nodiscard]] bool has(int row, int phase) const { return has_[entry(row, phase)] != 0; }

  // What one rank spent in a phase of timed iteration `iteration` (from 0), and when, in seconds since the iteration's
  // begin on that rank. Once for each rank, iteration and phase of the plan. Does not allocate.
  void add(std::int64_t iteration, int row, int phase, double seconds, Interval since_begin);

  struct Folded {  // over ranks and iterations
    double min = 0, mean = 0, max = 0;
  };
  enum class Quantity { seconds, begin, end };
  // {0, 0, 0} when nothing was added.
  [[nodiscard]] Folded folded(int row, int phase, Quantity quantity) const;
  // Seconds of each sampled iteration, mean over ranks.
  [[nodiscard]] std::vector<double> sampled_means(int row, int phase) const;

  // What the logs of ranks are made one of: by minimum, maximum and sum, element by element.
  [[nodiscard]] std::span<double> minima() { return minima_; }
  [[nodiscard]] std::span<double> maxima() { return maxima_; }
  [[nodiscard]] std::span<double> sums() { return sums_; }

 private:
  static constexpr std::size_t kQuantities = 3;
  [[nodiscard]] static std::size_t entry(int row, int phase) {
    return static_cast<std::size_t>(row) * kRowPhases + static_cast<std::size_t>(phase);
  }

  std::int64_t stride_;
  std::size_t samples_;                  // by phase
  double ranks_;                         // of the job
  std::vector<char> has_;                // by phase
  std::vector<double> minima_, maxima_;  // by phase and quantity
  std::vector<double> sums_;             // by phase: the quantities, how many were added, the samples
};

}  // namespace simtrain
