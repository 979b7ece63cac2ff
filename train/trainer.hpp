// Executes a plan on one rank. The same source natively and simulated; what differs is behind Kernels and MPI.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "train/collective.hpp"
#include "train/data.hpp"
#include "train/plan.hpp"
#include "train/rank_result.hpp"

namespace simtrain {

class Trainer {
 public:
  // Allocates everything and sets the initial weights, which depend on the seed alone. All references must outlive it.
  Trainer(const Plan& plan, Coordinates me, Kernels& kernels, Collectives& collectives, const SyntheticData& data,
          std::uint64_t seed);

  // Runs `warm_up` untimed and then `iterations` timed iterations over successive batches. Iteration i of the job
  // trains on samples [i*B, (i+1)*B). Every rank of the grid must call it. Losses are kept for all iterations, warm-up
  // included.
  RankResult run(int warm_up, int iterations);

  // The rank's block of a layer's parameters, [weights | biases]; empty when the memory is a phantom.
  [[nodiscard]] std::span<const float> parameters(int report_row);
  // Its gradient of the last iteration, summed over the batch's columns: all-reduced.
  [[nodiscard]] std::span<const float> gradients(int report_row);

 private:
  void allocate();
  void load_batch(std::int64_t iteration);
  void iterate();
  void execute(const ComputeStep& step);
  void execute(const CollectiveStep& step);
  [[nodiscard]] Buffer operand(TensorRef ref) const;
  [[nodiscard]] Buffer& buffer(int tensor) { return buffers_[static_cast<std::size_t>(tensor)]; }
  void collect_accounts(RankResult& result) const;

  const Plan& plan_;
  Coordinates me_;
  Kernels& kernels_;
  Collectives& collectives_;
  const SyntheticData& data_;
  std::vector<Buffer> buffers_;  // by tensor
  Buffer workspace_, reduction_;
  std::vector<RankExchange> exchanges_;  // by row and exchange
  Event last_;
};

}  // namespace simtrain
