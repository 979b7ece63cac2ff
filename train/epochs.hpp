// Trains a job natively, epoch by epoch when it says so, and tells how it goes.
#pragma once

#include <optional>
#include <vector>

#include "report/result.hpp"
#include "train/job.hpp"
#include "train/trainer.hpp"

namespace simtrain {

struct TrainingRun {
  RankResult rank;                  // of all iterations together
  std::vector<EpochResult> epochs;  // the same on every rank; empty without --epochs
};

// Every rank must call it; `me` are its coordinates on the grid of the loss. Rank 0 shows progress on stderr: a bar on
// a terminal, a line for each epoch.
TrainingRun train_job(const Job& job, Trainer& trainer, Coordinates me);

}  // namespace simtrain
