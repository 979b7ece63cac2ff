// A collective that is under way: the rounds of its schedule, posted as non-blocking messages, which somebody must come
// by to notice. The messages and numbers are those of Collectives::run().
#pragma once

#include <optional>

#include "train/round_messages.hpp"

namespace simtrain {

class RunningCollective {
 public:
  // What it is, once. `data` and `scratch` must not be touched until it is done; scratch as for Collectives::run. Two
  // collectives that are under way between the same ranks at the same time need different tags, and every rank starts
  // those of one tag in the same order, each when the one before is done.
  struct Job {
    CollectiveOp operation;
    Algorithm algorithm;
    Partition blocks;
  };

  // Posts the first round. Returns at once. `library`: of Algorithm::mpi, else unused.
  void start(const Job& job, const RoundExchange& exchange, LibraryCollectives* library);
  // Goes as far as it can without waiting, additions included. True: it is done, or none was started.
  bool advance();
  // Returns when it is done.
  void finish();

  [[nodiscard]] bool under_way() const { return exchange_.has_value(); }
  [[nodiscard]] const CollectiveTraffic& traffic() const { return traffic_; }

 private:
  // From round round_ on, the first one in which this member sends or receives.
  void post();
  void end_round();

  Job job_{};
  std::optional<RoundExchange> exchange_;  // none: not under way
  Requests requests_;
  CollectiveTraffic traffic_;
  Round current_;
  int round_ = 0, rounds_ = 0;
  double round_begin_s_ = 0;  // for a trace
};

}  // namespace simtrain
