// Kernels that compute on a thread of their own: enqueue() returns at once, and the rank's thread communicates
// meanwhile. It wants a core for each of the two.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/blas_kernels.hpp"

namespace simtrain {

class WorkerKernels final : public Kernels {
 public:
  // `now` tells the time in seconds, on the rank's clock, in either thread: it must not call MPI, which belongs to the
  // rank's.
  explicit WorkerKernels(const std::function<double()>& now);
  ~WorkerKernels() override;

  Buffer allocate(std::int64_t floats) override;
  // Blocks only while kQueued operations wait. Does not allocate.
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override;
  // What an operation threw comes out here; the ones behind it are not executed.
  void wait(Event event) override;
  bool done(Event event) override;
  double idle_since() override;
  void execute_beside(const Operation& operation, const Operands& operands, Account account) override;
  // Of the worker and of execute_beside together; all wait until the queue is empty.
  [[nodiscard]] double busy_s(Account account) const override;
  [[nodiscard]] Interval interval(Account account) const override;
  void reset_accounts() override;
  // Of the worker in its thread, of execute_beside() in the caller's.
  void watch(std::function<void(Account, Interval)> told) override;
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override;
  std::span<const float> read(Buffer buffer) override;
  std::span<float> write(Buffer buffer) override;

 private:
  static constexpr std::size_t kQueued = 256;
  struct Task {
    Operation operation;
    Operands operands;
    Account account;
  };
  void work();
  void wait_for(std::uint64_t ticket) const;
  void wait_for_all() const { wait_for(enqueued_); }

  std::function<double()> now_;
  BlasKernels computing_;  // the worker's
  BlasKernels beside_;     // the rank's thread's
  std::vector<Task> tasks_;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::uint64_t enqueued_ = 0;           // written by the rank's thread
  std::atomic<std::uint64_t> done_ = 0;  // written by the worker
  double idle_since_s_ = 0;
  bool ends_ = false;
  std::exception_ptr error_;
  std::thread worker_;  // last: begins when all else is there
};

}  // namespace simtrain
