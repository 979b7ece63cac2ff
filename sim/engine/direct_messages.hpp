// Messages of collectives without SMPI: flows from host to host, as long as its messages are, at less than half the
// cost. SMPI needs four switches between a rank and the simulator for a send and a receive, and some ten objects; here
// a rank has one, and all flows that begin together are started by one actor.
#pragma once

#include <memory>
#include <vector>

#include "train/phantom_messages.hpp"

namespace simtrain {

class Simulation;

// One per Simulation, made before its run() and shared by its ranks, who must have no MPI request and no asynchronous
// computing under way when they call: a rank that waits here is suspended, and what it has under way with it.
class DirectMessages final : public PhantomMessages {
 public:
  // Null where messages have to go through SMPI: on platforms whose links may fail or change, and with a SimGrid that
  // lacks what this needs (sim/engine/compat.hpp).
  static std::unique_ptr<DirectMessages> make(const Simulation& simulation, const std::vector<int>& host_of_rank);
  ~DirectMessages() override;

  void exchange(int me, int to, const Segments& sent, int from, std::int64_t longest_floats) override;

 private:
  struct State;
  explicit DirectMessages(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace simtrain
