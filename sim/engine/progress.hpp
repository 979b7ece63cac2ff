// Ideal progress of a simulated rank: what computes and what communicates for it besides its own actor.
//
// SMPI gives the messages of a rank to one actor. So collectives in the background run on a second actor for each rank,
// which has a number of its own in the job: that of rank r of P is P + r. They are blocking there, and their groups are
// those of the ranks, moved by P. What the rank computes while it communicates is an activity of its host.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <simgrid/s4u.hpp>
#include <vector>

#include "kernels/modelled.hpp"
#include "train/background.hpp"
#include "train/plan.hpp"
#include "train/rank_trace.hpp"

namespace simtrain {

// The background of one rank. It begins and finishes jobs, its second actor serves them.
class ProgressLane final : public Background {
 public:
  // `ranks`: of the job.
  explicit ProgressLane(int ranks);

  // For the second actor: runs jobs until close().
  void serve(Collectives& collectives);
  // For the rank, after its last job.
  void close();

  void prepare(Kernels& kernels, Kernels& adder, Buffer scratch, std::size_t most_jobs) override;
  // Lets the rank's clock pass until the data are there.
  void begin(const BackgroundJob& job) override;
  [[nodiscard]] bool by_itself() const override { return true; }
  bool advance() override { return begun_ == ended_; }
  BackgroundOutcome finish() override;

 private:
  int ranks_;
  Kernels* kernels_ = nullptr;
  Kernels* adder_ = nullptr;
  Buffer scratch_;
  simgrid::s4u::SemaphorePtr jobs_, outcomes_;
  std::deque<BackgroundJob> queue_;
  std::deque<BackgroundOutcome> ended_jobs_;
  std::uint64_t begun_ = 0, ended_ = 0;
};

// On the rank's host, which its ranks share if they are more than its cores. slower: 2 for a rank that takes twice as
// long as priced.
class HostComputing final : public ComputingAside {
 public:
  explicit HostComputing(double slower) : slower_(slower) {}
  void start(double seconds) override;
  bool done() override;
  double wait() override;

 private:
  double slower_;
  simgrid::s4u::ExecPtr running_;  // none: nothing, or nothing that takes time
  double end_s_ = 0;
};

// The lanes of a job's ranks; none where it needs none, without overlap or with progress that is not ideal.
class ProgressLanes {
 public:
  explicit ProgressLanes(const Plan& plan);

  [[nodiscard]] bool needed() const { return !lanes_.empty(); }
  // For Simulation::run; empty where none is needed. `trace` (may be null): where the messages of second actors are
  // noted.
  std::function<void(int rank)> servers(TraceRecorder* trace = nullptr);
  // For a rank, before it makes its trainer: what goes into TrainerOptions::background, null where none is needed.
  Background* join(int rank, ModelledKernels& kernels, double slower);
  // For a rank, after its last iteration.
  void leave(int rank);

 private:
  std::vector<std::unique_ptr<ProgressLane>> lanes_;
};

}  // namespace simtrain
