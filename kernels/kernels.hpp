// The seam between training for real and predicting: compute and hold memory.
//
// A Kernels is one rank's queue of operations in the manner of a GPU stream. The rank's own thread communicates; it
// enqueues operations, which run in order, and waits for an event before it lets a message use their results. Two
// promises hold for every implementation:
//   1. after wait(e), every operation up to and including e is done and its time has passed on the rank's clock;
//   2. busy_s(account) is the computing time of the finished operations that were enqueued under that account.
// Implementations: BlasKernels (computes at once), WorkerKernels (computes on a thread of its own), ModelledKernels
// (charges predicted seconds; with or without numbers).
// The algorithm touches the contents of a buffer only through this interface.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "kernels/operation.hpp"

namespace simtrain {

// A view of `count` floats that some Kernels owns. A phantom has an address that may be handed to MPI when payloads are
// off, and no memory behind it: touching it ends the program.
struct Buffer {
  float* data = nullptr;
  std::int64_t count = 0;
  bool phantom = false;

  [[nodiscard]] Buffer slice(std::int64_t offset, std::int64_t length) const {
    return {data + offset, length, phantom};
  }
};

using Operands = std::array<Buffer, 6>;  // in the order given at each operation

struct Event {
  std::uint64_t ticket = 0;  // 0: nothing to wait for
};

// What an operation's time is booked on; the trainer numbers them.
using Account = int;

// A stretch of the rank's clock (MPI_Wtime), in seconds.
struct Interval {
  double begin_s = 0, end_s = 0;
};

class Kernels {
 public:
  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  // Zero-filled; lives as long as this object. Never called inside the iteration loop.
  virtual Buffer allocate(std::int64_t floats) = 0;

  virtual Event enqueue(const Operation& operation, const Operands& operands, Account account) = 0;
  virtual void wait(Event event) = 0;

  // ---- for a rank that communicates while its queue computes
  // Whether wait(event) would return at once; may compute until it does.
  virtual bool done(Event event) {
    wait(event);
    return true;
  }
  // Says that the rank is going to wait for something else: from here on the queue must compute by itself, if it can.
  virtual void go_on() {}
  // Since when the queue has had nothing to do, on the rank's clock. Infinity: it has; minus infinity: it only ever
  // computes within enqueue() and wait().
  virtual double idle_since() { return -std::numeric_limits<double>::infinity(); }
  // Executes an operation in the caller's thread, whatever the queue is doing; booked when it returns.
  virtual void execute_beside(const Operation& operation, const Operands& operands, Account account) {
    wait(enqueue(operation, operands, account));
  }

  [[nodiscard]] virtual double busy_s(Account account) const = 0;
  // From the begin of the first to the end of the last of these operations; {0, 0} when there was none.
  [[nodiscard]] virtual Interval interval(Account account) const = 0;
  // Forgets the times booked so far (before each iteration).
  virtual void reset_accounts() = 0;

  // From now on `told(account, interval)` hears of every operation that is over, in the thread that computed it.
  virtual void watch(std::function<void(Account, Interval)> told) { told_ = std::move(told); }

  // Calls value(i) for each element i of the buffer, in order; does nothing to a phantom.
  virtual void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) = 0;
  // The contents, after everything enqueued is done; empty for a phantom.
  virtual std::span<const float> read(Buffer buffer) = 0;
  // The same, to be written: for data that comes from outside.
  virtual std::span<float> write(Buffer buffer) = 0;

 protected:
  std::function<void(Account, Interval)> told_;  // none: nobody watches
};

}  // namespace simtrain
