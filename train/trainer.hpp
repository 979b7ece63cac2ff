// Executes a plan on one rank. The same source natively and simulated; what differs is behind Kernels and MPI.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/kernels.hpp"
#include "train/collective.hpp"
#include "train/dataset.hpp"
#include "train/plan.hpp"
#include "train/rank_result.hpp"
#include "train/trainer_options.hpp"

namespace simtrain {

class HaloExchange;  // train/halo_exchange.hpp

class Trainer {
 public:
  // Allocates everything and sets the initial weights, which depend on the seed alone. All references must outlive it.
  Trainer(const Plan& plan, Coordinates me, Kernels& kernels, Collectives& collectives, const Dataset& data,
          const TrainerOptions& options);
  ~Trainer();

  // Runs `warm_up` untimed and then `iterations` timed iterations, from where the last call stopped. Iteration i of the
  // job trains on samples number [i*B, (i+1)*B) of the order. Every rank of the grid must call it. Losses are kept for
  // all iterations, warm-up included. `after_each(done)` is called after each iteration, outside the timed part.
  // Nothing is allocated within iterations after the first timed one, but by MPI and for messages in pieces
  // (kLargestMessageBytes).
  RankResult run(int warm_up, int iterations, const std::function<void(int done)>& after_each = {});

  // Of the samples of `data` that fall to this rank's column of the last layer's grid, how many get the largest logit
  // for their label. Every rank must call it; the ranks of such a column return the same. Without numbers nothing is
  // counted.
  struct Evaluation {
    std::int64_t correct = 0, samples = 0;
  };
  Evaluation evaluate(const Dataset& data);

  // The rank's block of a layer's parameters, [weights | biases]; empty when the memory is a phantom.
  [[nodiscard]] std::span<const float> parameters(int report_row);
  // Its gradient of the last iteration, summed over the columns of the layer's grid: all-reduced.
  [[nodiscard]] std::span<const float> gradients(int report_row);

 private:
  void watch(RankTrace& trace);
  void allocate();
  void set_initial_weights();
  // `sample(position)`: which sample of `data` stands at a place of the batch.
  template <typename Sample>
  void load_batch(const Dataset& data, const Sample& sample);
  void iterate();
  void execute(const ComputeStep& step);
  void execute(const CollectiveStep& step);
  void execute(const RedistributeStep& step);
  void execute(const HaloStep& step);
  void execute(const WaitStep& step);
  // Adds an exchange of the iteration that runs, or a row's share of one.
  void note(int row, Exchange exchange, Interval under_way, double exposed_s, const CollectiveTraffic& traffic,
            Course course = Course::at_once);
  void add_share(int row, Exchange exchange, Interval under_way, double exposed_s, const CollectiveTraffic& traffic,
                 double share);

  // ---- with overlap only (train/trainer_exchanges.cpp)
  struct Overlapping;
  void prepare_overlap(std::int64_t scratch_floats);
  void begin_in_background(const CollectiveStep& step);
  void begin_beside(const CollectiveStep& step);
  void end_oldest_in_background();
  void end_beside();
  // With progress by polling: after an operation.
  void come_by();
  // Runs a collective to its end, while those in the background go on if progress is ideal.
  CollectiveTraffic communicate(const CollectiveStep& step);
  // kernels_.wait(), while those in the background go on if progress is ideal.
  void wait_for(Event event);
  // What of a wait between two times nothing was computed in.
  [[nodiscard]] double exposed_s(double begin_s, double end_s);
  // Places in the batch of the samples that a tensor has on this rank.
  [[nodiscard]] Range places(int tensor) const;
  [[nodiscard]] Buffer operand(TensorRef ref) const;
  [[nodiscard]] Buffer buffer(int tensor) const {
    return {memory_[static_cast<std::size_t>(tensor)], plan_.floats(tensor, me_), workspace_.phantom};
  }
  // Adds what the iteration booked that began at `begin_s` and is done.
  void book(RankResult& result, double begin_s);
  void size_totals(RankResult& result) const;
  void start_exchanges();

  const Plan& plan_;
  Coordinates me_;
  Kernels& kernels_;
  Collectives& collectives_;
  std::unique_ptr<HaloExchange> halos_;  // where the plan has any
  const Dataset& data_;
  TrainerOptions options_;
  SampleOrder order_;
  std::int64_t iteration_ = 0;  // of the job, the next one
  bool evaluating_ = false;     // dropout lets everything through
  std::vector<float*> memory_;  // by tensor; the plan knows the sizes, and thousands of ranks are simulated
  Buffer workspace_, scratch_;
  struct RunningExchange {  // what it took in the iteration that runs, and when
    int row;
    Exchange what;
    RankExchange exchange;
    Interval interval;
  };
  std::vector<RunningExchange> running_;  // those of the plan, in its order; thousands of ranks are simulated
  std::int64_t timed_ = 0;                // iterations noted in options_.phases
  Event last_;
  std::unique_ptr<Overlapping> overlapping_;  // none without overlap
};

}  // namespace simtrain
