// Brings what every rank measured to rank 0, natively.
#pragma once

#include <optional>

#include "report/result.hpp"
#include "train/rank_result.hpp"

namespace simtrain {

// Collective over MPI_COMM_WORLD. The result at rank 0, nothing at the others.
std::optional<Result> gather_ranks(const Plan& plan, const RankResult& mine);

}  // namespace simtrain
