// One collective alone on a platform: what it takes, beside its formula, in the terms of nccl-tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/passport.hpp"
#include "sim/placement/placement_options.hpp"
#include "sim/prediction/detail.hpp"
#include "train/schedule.hpp"

namespace simtrain {

struct CollectiveJob {
  CollectiveOp operation = CollectiveOp::all_reduce;
  Algorithm algorithm = Algorithm::automatic;
  std::int64_t bytes = 4;  // of the whole array, in 4-byte floats
  int processes = 2;
  std::string platform;
  PlacementOptions where{};  // processes are a grid of one column
  Detail detail = Detail::automatic;
  std::optional<std::string> profile;  // prices the additions; none: they take no time
};

struct CollectiveFigures {
  CollectiveJob job;  // algorithm and detail resolved
  std::string platform_description;
  double seconds = 0;                         // until the last process has ended
  double alpha_beta_s = 0;                    // the same messages and additions without contention
  double latency_s = 0, bandwidth_Bps = 0;    // alpha: mean route latency of its messages; 1/beta: their narrowest link
  double addition_s = 0;                      // the part of `seconds` that adding takes, mean over processes
  std::int64_t messages = 0, bytes_sent = 0;  // all processes together
  std::optional<Passport> passport = {};

  // As nccl-tests defines them (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md): array bytes per second, and that
  // times 2(p-1)/p for an all-reduce, (p-1)/p for an all-gather or reduce-scatter: what the busiest link of a ring
  // must carry, whatever the number of processes.
  [[nodiscard]] double algorithm_bandwidth_Bps() const;
  [[nodiscard]] double bus_bandwidth_Bps() const;
};

// Once per process. InputError for wrong input.
CollectiveFigures simulate_collective(const CollectiveJob& job);

std::string to_text(const CollectiveFigures& figures);
std::string to_json(const CollectiveFigures& figures);  // docs/collective.schema.json

// simtrain collective ...
int collective_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
