#include "sim/engine/progress.hpp"

#include "sim/engine/simulation.hpp"

namespace simtrain {

namespace s4u = simgrid::s4u;

ProgressLane::ProgressLane(int ranks)
    : ranks_(ranks), jobs_(s4u::Semaphore::create(0)), outcomes_(s4u::Semaphore::create(0)) {}

void ProgressLane::prepare(Kernels& kernels, Kernels& adder, Buffer scratch, std::size_t /*most_jobs*/) {
  kernels_ = &kernels;
  adder_ = &adder;
  scratch_ = scratch;
}

void ProgressLane::begin(const BackgroundJob& job) {
  kernels_->wait(job.after);
  queue_.push_back(job);
  ++begun_;
  jobs_->release();
}

void ProgressLane::close() { jobs_->release(); }

void ProgressLane::serve(Collectives& collectives) {
  for (;;) {
    jobs_->acquire();
    if (queue_.empty()) return;  // closed
    const BackgroundJob job = queue_.front();
    queue_.pop_front();
    Group here = job.group;
    here.first += ranks_;
    BackgroundOutcome outcome;
    outcome.begin_s = s4u::Engine::get_clock();
    outcome.traffic =
        collectives.run(job.operation, job.algorithm, here, job.data, job.blocks, scratch_, *adder_, job.additions);
    outcome.end_s = s4u::Engine::get_clock();
    ended_jobs_.push_back(outcome);
    ++ended_;
    outcomes_->release();
  }
}

BackgroundOutcome ProgressLane::finish() {
  outcomes_->acquire();
  const BackgroundOutcome outcome = ended_jobs_.front();
  ended_jobs_.pop_front();
  return outcome;
}

void HostComputing::start(double seconds) {
  end_s_ = s4u::Engine::get_clock();
  if (seconds <= 0) return;
  const s4u::Host* host = s4u::this_actor::get_host();
  running_ = s4u::this_actor::exec_async(slower_ * seconds * host->get_speed());
}

bool HostComputing::done() { return running_ == nullptr || running_->test(); }

double HostComputing::wait() {
  if (running_ != nullptr) {
    running_->wait();
    end_s_ = running_->get_finish_time();
    running_ = nullptr;
  }
  return end_s_;
}

ProgressLanes::ProgressLanes(const Plan& plan) {
  const OverlapOptions& overlap = plan.options.overlap;
  if (!overlap.any() || overlap.progress != Progress::ideal) return;
  const int ranks = static_cast<int>(plan.options.grid.size());
  for (int rank = 0; rank < ranks; ++rank) lanes_.push_back(std::make_unique<ProgressLane>(ranks));
}

std::function<void(int)> ProgressLanes::servers(TraceRecorder* trace) {
  if (!needed()) return nullptr;
  return [this, trace](int rank) {
    Collectives collectives(Grid{}, Coordinates{}, false);  // groups come with the jobs
    collectives.watch(trace != nullptr ? trace->of_rank(rank) : nullptr);
    payloads_off(static_cast<int>(lanes_.size()) + rank);
    lanes_[static_cast<std::size_t>(rank)]->serve(collectives);
  };
}

// Additions take their time on a core or card that computes nothing else.
Background* ProgressLanes::join(int rank, ModelledKernels& kernels, double slower) {
  if (!needed()) return nullptr;
  kernels.compute_aside(std::make_unique<HostComputing>(slower), [](double seconds) {
    if (seconds > 0) s4u::this_actor::sleep_for(seconds);
  });
  return lanes_[static_cast<std::size_t>(rank)].get();
}

void ProgressLanes::leave(int rank) {
  if (needed()) lanes_[static_cast<std::size_t>(rank)]->close();
}

}  // namespace simtrain
