// What of a job the trainer needs besides its plan.
#pragma once

#include <cstdint>

#include "train/learning_rate.hpp"

namespace simtrain {

class Background;  // train/background.hpp
class PhaseLog;    // train/phase_log.hpp
class RankTrace;   // train/rank_trace.hpp

struct TrainerOptions {
  std::uint64_t seed = 1;
  bool shuffled = false;  // samples in an order of its own for each epoch
  LearningRateSchedule schedule;
  std::int64_t total_iterations = 1;  // of the whole job: where the cosine ends
  PhaseLog* phases = nullptr;         // where the phases of timed iterations are noted; none: they are not
  // What collectives in the background run in, of the rank alone; none: the rank comes by (PolledBackground). A
  // simulation of ideal progress needs one: simulated time does not pass while a rank polls.
  Background* background = nullptr;
  RankTrace* trace = nullptr;  // of the rank, told of all it does; none: nobody is
};

}  // namespace simtrain
