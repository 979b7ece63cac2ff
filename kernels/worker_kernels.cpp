#include "kernels/worker_kernels.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace simtrain {

WorkerKernels::WorkerKernels(const std::function<double()>& now)
    : now_(now), computing_(now), beside_(now), tasks_(kQueued), idle_since_s_(now()), worker_([this] { work(); }) {}

WorkerKernels::~WorkerKernels() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  worker_.join();
}

void WorkerKernels::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || done_ < enqueued_; });
    if (done_ == enqueued_) return;
    const Task& task = tasks_[done_ % kQueued];
    const bool executes = error_ == nullptr;
    lock.unlock();
    std::exception_ptr error;
    try {
      if (executes) computing_.enqueue(task.operation, task.operands, task.account);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error) error_ = error;
    ++done_;
    if (done_ == enqueued_) idle_since_s_ = now_();
    changed_.notify_all();
  }
}

Event WorkerKernels::enqueue(const Operation& operation, const Operands& operands, Account account) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return enqueued_ - done_ < kQueued; });
  tasks_[enqueued_ % kQueued] = {operation, operands, account};
  ++enqueued_;
  lock.unlock();
  changed_.notify_all();
  return {enqueued_};
}

void WorkerKernels::wait_for(std::uint64_t ticket) const {
  SIMTRAIN_INVARIANT(ticket <= enqueued_, "event " + std::to_string(ticket) + " of another queue");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return done_ >= ticket; });
  if (error_) std::rethrow_exception(error_);
}

void WorkerKernels::wait(Event event) { wait_for(event.ticket); }

bool WorkerKernels::done(Event event) {
  if (done_ < event.ticket) return false;
  wait_for(event.ticket);  // for the error
  return true;
}

double WorkerKernels::idle_since() {
  const std::lock_guard lock(mutex_);
  return done_ == enqueued_ ? idle_since_s_ : std::numeric_limits<double>::infinity();
}

void WorkerKernels::execute_beside(const Operation& operation, const Operands& operands, Account account) {
  beside_.enqueue(operation, operands, account);
}

double WorkerKernels::busy_s(Account account) const {
  wait_for_all();
  return computing_.busy_s(account) + beside_.busy_s(account);
}

Interval WorkerKernels::interval(Account account) const {
  wait_for_all();
  const Interval queued = computing_.interval(account), beside = beside_.interval(account);
  if (queued.end_s == 0) return beside;
  if (beside.end_s == 0) return queued;
  return {std::min(queued.begin_s, beside.begin_s), std::max(queued.end_s, beside.end_s)};
}

void WorkerKernels::reset_accounts() {
  wait_for_all();
  computing_.reset_accounts();
  beside_.reset_accounts();
}

void WorkerKernels::watch(std::function<void(Account, Interval)> told) {
  wait_for_all();
  computing_.watch(told);
  beside_.watch(std::move(told));
}

// The memory is one and the same, whichever of the two has it.
Buffer WorkerKernels::allocate(std::int64_t floats) { return beside_.allocate(floats); }

void WorkerKernels::fill(Buffer buffer, const std::function<float(std::int64_t)>& value) {
  wait_for_all();
  beside_.fill(buffer, value);
}

std::span<float> WorkerKernels::write(Buffer buffer) {
  wait_for_all();
  return beside_.write(buffer);
}

std::span<const float> WorkerKernels::read(Buffer buffer) {
  wait_for_all();
  return beside_.read(buffer);
}

}  // namespace simtrain
