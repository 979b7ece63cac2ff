#include "train/running_collective.hpp"

#include <string>

#include "base/error.hpp"
#include "train/library_collectives.hpp"

namespace simtrain {

void RunningCollective::start(const Job& job, const RoundExchange& exchange, LibraryCollectives* library) {
  SIMTRAIN_INVARIANT(!under_way(), "a collective is under way");
  SIMTRAIN_INVARIANT(job.blocks.parts == exchange.group.size && exchange.data.count >= job.blocks.size(),
                     std::to_string(job.blocks.parts) + " blocks, " + std::to_string(exchange.group.size) + " members");
  traffic_ = {};
  if (exchange.group.size == 1 || job.blocks.size() == 0) return;
  job_ = job;
  exchange_.emplace(exchange);
  round_ = 0;
  if (job.algorithm == Algorithm::mpi) {
    SIMTRAIN_INVARIANT(library != nullptr && job.operation == CollectiveOp::all_reduce,
                       std::string(name_of(job.operation)));
    current_ = {};
    rounds_ = 1;
    library->start_all_reduce(exchange.group, exchange.data, job.blocks, exchange.tag == kBackgroundTag, requests_);
    traffic_.bytes_sent = least_bytes(job.operation, job.blocks);
    return;
  }
  rounds_ = round_count(job.algorithm, job.operation, exchange.group.size);
  post();
}

void RunningCollective::post() {
  for (; round_ < rounds_; ++round_) {
    current_ = round_of(job_.algorithm, job_.operation, job_.blocks, exchange_->group.me, round_);
    if (current_.send_to < 0 && current_.receive_from < 0) continue;
    SIMTRAIN_INVARIANT(!current_.reduce || current_.receive.count() <= exchange_->scratch.count,
                       "scratch of " + std::to_string(exchange_->scratch.count) + " floats");
    round_begin_s_ = round_begin_s(*exchange_);
    start_receives(*exchange_, current_, requests_);
    start_sends(*exchange_, current_, requests_, traffic_);
    return;
  }
  exchange_.reset();
}

void RunningCollective::end_round() {
  note_round(*exchange_, current_, round_begin_s_);
  add_arrivals(*exchange_, current_);
  ++round_;
  post();
}

bool RunningCollective::advance() {
  while (under_way()) {
    if (!requests_.test_all()) return false;
    end_round();
  }
  return true;
}

void RunningCollective::finish() {
  while (under_way()) {
    requests_.wait_all();
    end_round();
  }
}

}  // namespace simtrain
