// A round's messages where they carry no data: the seam for a simulator that has a shorter way for them than MPI calls.
#pragma once

#include <cstdint>

#include "train/schedule.hpp"

namespace simtrain {

// Shared by the ranks of one job.
class PhantomMessages {
 public:
  PhantomMessages() = default;
  PhantomMessages(const PhantomMessages&) = delete;
  PhantomMessages& operator=(const PhantomMessages&) = delete;
  virtual ~PhantomMessages() = default;

  // Called by rank `me` for what it sends to rank `to` and gets from rank `from`, -1: nobody, at once, in pieces of at
  // most `longest_floats`. Returns when all of it has arrived on both sides. Every rank that is named makes the call
  // that answers: messages begin when both ends have called, as MPI's synchronous sends do.
  virtual void exchange(int me, int to, const Segments& sent, int from, std::int64_t longest_floats) = 0;
};

}  // namespace simtrain
