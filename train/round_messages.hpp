// The messages and additions of one round of a collective. Internal to those who run schedules: at once
// (train/collective.cpp) and bit by bit (train/running_collective.hpp).
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "train/collective.hpp"
#include "train/message_tag.hpp"
#include "train/phantom_messages.hpp"
#include "train/rank_trace.hpp"

namespace simtrain {

// Outstanding requests. Two segments each way fit without allocating; the vector is for messages in many pieces.
class Requests {
 public:
  MPI_Request* add() {
    if (used_ < few_.size()) return &few_[used_++];
    return &many_.emplace_back(MPI_REQUEST_NULL);
  }
  void wait_all();
  // Whether wait_all() would return at once, after which there are none.
  bool test_all();

 private:
  std::array<MPI_Request, 4> few_;
  std::size_t used_ = 0;
  std::vector<MPI_Request> many_;
};

// What one collective of one rank works on.
struct RoundExchange {
  Group group;
  Buffer data, scratch;
  std::int64_t longest_message_floats;
  Kernels& kernels;
  Account reduction_account;
  int tag = kTag;
  RankTrace* trace = nullptr;           // where its messages are noted
  PhantomMessages* messages = nullptr;  // what they go by in run(); null: MPI
};

// For a trace: the time now, and that a round's messages which began then are over. Neither without one.
double round_begin_s(const RoundExchange& exchange);
void note_round(const RoundExchange& exchange, const Round& round, double begin_s);

void start_receives(const RoundExchange& exchange, const Round& round, Requests& requests);
void start_sends(const RoundExchange& exchange, const Round& round, Requests& requests, CollectiveTraffic& traffic);
// Adds what arrived to where it belongs, and waits until that is done.
void add_arrivals(const RoundExchange& exchange, const Round& round);

}  // namespace simtrain
