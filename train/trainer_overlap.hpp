// What a trainer keeps of the collectives that run beside its computing. Internal to the trainer.
#pragma once

#include <vector>

#include "train/background.hpp"
#include "train/beside_kernels.hpp"
#include "train/trainer.hpp"

namespace simtrain {

struct Trainer::Overlapping {
  Overlapping(Kernels& kernels, Collectives& collectives) : additions_beside(kernels), polled(collectives) {}

  Progress progress = Progress::ideal;
  BesideKernels additions_beside;
  PolledBackground polled;
  Background* background = &polled;
  std::vector<const CollectiveStep*> steps;  // by bucket
  std::size_t begun = 0, ended = 0;          // buckets, of the iteration that runs

  RunningCollective running;               // at most one that is not in the background
  const CollectiveStep* beside = nullptr;  // begun and not ended
  Event beside_after;                      // ideal: when its data are there
  double beside_begin_s = 0, beside_attended_s = 0;

  // Whether collectives in the background want the rank to come by whenever it waits for something.
  [[nodiscard]] bool must_be_polled() const {
    return progress == Progress::ideal && begun > ended && !background->by_itself();
  }
};

}  // namespace simtrain
