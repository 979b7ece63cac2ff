// Replicas of predictions: the same job simulated again and again, each time with other noise
// (sim/prediction/replica_noise.hpp), in child processes.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "report/result.hpp"
#include "sim/prediction/prediction.hpp"

namespace simtrain {

struct ReplicaOptions {
  int count = 0;                         // 0: none
  double node_spread = 0;                // as in Disturbance
  int workers = 1;                       // simulations at a time, at most
  std::optional<double> memory_bytes{};  // of all of them; none: what this machine has left

  // So many simulations of jobs of this size fit into the memory; at least one. InputError when --memory does not hold
  // one.
  [[nodiscard]] ReplicaOptions within_memory(std::int64_t ranks) const;
  [[nodiscard]] std::optional<double> budget_bytes() const;  // none: unlimited
};

// --replicas, --node-spread, and --jobs and --memory, which sweeps have without replicas too.
boost::program_options::options_description replica_options();
// InputError for wrong numbers, and for --node-spread without --replicas.
ReplicaOptions replicas_from(const boost::program_options::variables_map& values);

// "1", in percent, as --node-spread has it: 0.01.
double parse_node_spread(const std::string& text);

// InputError when there is no such profile or it tells nothing about noise: before a long run.
void check_noise(const Job& job, const PredictionOptions& options);

// What one replica gives, in this process: seconds of an iteration. `placement`: that of the undisturbed result, so
// that `auto` is decided once. Replica i of one job has the same profile errors and nodes as replica i of any other
// with the same seed.
double replica_seconds(Job job, PredictionOptions options, const ReplicaOptions& replicas, const std::string& placement,
                       int replica);

// The undisturbed prediction, as predict() gives it, and its replicas, seeded by the job's seed. The result depends on
// the arguments and the files they name alone, but not on the number of workers. Precondition: count > 0. InputError
// for wrong input; Failure when a simulation fails or its process is killed. On a terminal it shows its progress
// (stderr).
Result predict_with_replicas(const Job& job, const PredictionOptions& options, const ReplicaOptions& replicas);

}  // namespace simtrain
