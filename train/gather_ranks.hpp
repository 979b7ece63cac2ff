// Brings what every rank measured to rank 0, natively.
#pragma once

#include <optional>

#include "report/result.hpp"
#include "train/phase_log.hpp"
#include "train/rank_result.hpp"

namespace simtrain {

// Collective over MPI_COMM_WORLD. The result at rank 0, nothing at the others. `phases`: what this rank noted, given by
// all ranks or by none; at rank 0 it holds what all ranks noted afterwards.
std::optional<Result> gather_ranks(const Plan& plan, const RankResult& mine, PhaseLog* phases = nullptr);

// The timelines of all ranks, each of that rank alone or of none, at rank 0; nothing at the others. Collective over
// MPI_COMM_WORLD.
std::optional<Timeline> gather_timeline(const Timeline& mine);

}  // namespace simtrain
