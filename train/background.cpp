#include "train/background.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace simtrain {

void PolledBackground::prepare(Kernels& kernels, Kernels& adder, Buffer scratch, std::size_t most_jobs) {
  kernels_ = &kernels;
  adder_ = &adder;
  scratch_ = scratch;
  entries_.resize(std::max<std::size_t>(1, most_jobs));
}

void PolledBackground::begin(const BackgroundJob& job) {
  SIMTRAIN_INVARIANT(begun_ - finished_ < entries_.size(), std::to_string(begun_ - finished_) + " jobs");
  entry(begun_++) = {job, {}};
  if (!started_) start_next();
}

bool PolledBackground::start_next() {
  if (ended_ == begun_ || !kernels_->done(entry(ended_).job.after)) return false;
  Entry& next = entry(ended_);
  next.outcome.begin_s = MPI_Wtime();
  started_ = true;
  collectives_.start(running_, next.job.operation, next.job.algorithm, next.job.group, next.job.data, next.job.blocks,
                     scratch_, *adder_, next.job.additions, kBackgroundTag);
  return true;
}

void PolledBackground::note_end() {
  Entry& ending = entry(ended_);
  ending.outcome.end_s = MPI_Wtime();
  ending.outcome.traffic = running_.traffic();
  started_ = false;
  ++ended_;
}

bool PolledBackground::advance() {
  while (started_ || start_next()) {
    const double begin_s = MPI_Wtime();
    const bool done = running_.advance();
    entry(ended_).outcome.attended_s += MPI_Wtime() - begin_s;
    if (!done) return false;
    note_end();
  }
  return ended_ == begun_;
}

BackgroundOutcome PolledBackground::finish() {
  SIMTRAIN_INVARIANT(finished_ < begun_, "no job in the background");
  while (ended_ <= finished_) {
    if (!started_) {
      kernels_->wait(entry(ended_).job.after);
      start_next();
    }
    running_.finish();
    note_end();
  }
  if (!started_) start_next();
  return entry(finished_++).outcome;
}

}  // namespace simtrain
