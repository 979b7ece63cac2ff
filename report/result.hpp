// What a run produced, as a value: the same for a simulated job and a native one. Times are seconds of one iteration
// (the mean over the timed iterations), bytes are of one iteration. Reports, JSON, comparisons start from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace simtrain {

inline constexpr int kResultSchemaVersion = 1;  // docs/result.schema.json

// Over ranks.
struct Spread {
  double min = 0, mean = 0, max = 0;
  bool operator==(const Spread&) const = default;
};

// One collective of one layer: what it took, what it moved, and what the formulas say.
struct CollectiveResult {
  std::string algorithm;  // "ring", ...; "none" when the group has one member or the layer needs none
  int group_size = 1;
  Spread seconds;           // from the call to its return, waiting for others and additions included
  double reduction_s = 0;   // mean over ranks: the part spent adding what arrived
  Spread bytes_sent;        // per rank
  double messages = 0;      // sent, all ranks together
  double alpha_beta_s = 0;  // mean over ranks: the same schedule without contention (train/cost.hpp)
  double paper_s = 0;       // the layer's term of formula (8), Gholami et al.
  bool operator==(const CollectiveResult&) const = default;
};

struct LayerResult {
  std::string name;  // of the weighted layer; activation, pooling, loss after it are counted in its row
  std::string kind;  // "convolution 11x11, 3 -> 96", for people
  Spread forward_s, backward_s, update_s;  // computing
  double extrapolated_s = 0;               // mean over ranks: computing outside the profile's measured range
  CollectiveResult all_gather;             // Y over Pr, forward
  CollectiveResult reduce_data;            // dX over Pr, backward
  CollectiveResult reduce_weights;         // dW over Pc, backward
  bool operator==(const LayerResult&) const = default;
};

struct MemoryResult {  // bytes of the rank that needs most
  double weights = 0, gradients = 0, momentum = 0, activations = 0, buffers = 0;
  [[nodiscard]] double total() const { return weights + gradients + momentum + activations + buffers; }
  std::optional<double> host;  // memory of a host, when the platform says
  bool operator==(const MemoryResult&) const = default;
};

struct JobResult {
  std::string network, strategy, collectives, gather, placement, numerics;
  int grid_rows = 1, grid_columns = 1;
  std::int64_t batch = 0, iterations = 0, epoch_images = 0;
  std::uint64_t seed = 0;
  double learning_rate = 0, momentum = 0, weight_decay = 0;
  bool operator==(const JobResult&) const = default;
};

struct PlatformResult {
  std::string name;         // as given: "torus.xml", "torus:4x4x4,..."; natively the machine's name
  std::string description;  // "3-D torus 8x8x4, 256 hosts"
  std::int64_t hosts = 0;
  double latency_s = 0, bandwidth_Bps = 0;  // the alpha and 1/beta used by the formulas
  std::string latency_source;               // "mean route latency between the job's ranks, narrowest link"
  std::string network_model = "linear";     // or "calibrated" (sim/network_model.hpp)
  std::string network_source;               // where its factors were measured; empty for linear
  double network_outside_share = 0;         // of the messages' time: sizes that were not measured
  bool operator==(const PlatformResult&) const = default;
};

struct ProfileResult {
  std::string name, machine, cpu, blas, date;
  std::string command;
  bool this_machine = false;
  double compute_scale = 1;
  bool operator==(const ProfileResult&) const = default;
};

struct NativeResult {  // only of native runs
  std::string machine, cpu, mpi, blas;
  int blas_threads = 1;
  bool operator==(const NativeResult&) const = default;
};

struct EpochResult {                    // of native training
  double loss = 0;                      // mean over its iterations
  std::optional<double> test_accuracy;  // share of the test samples, after the epoch; none without test data
  double seconds = 0;                   // of its timed iterations, slowest rank
  double images_per_s = 0;
  bool operator==(const EpochResult&) const = default;
};

struct Result {
  std::string kind;  // "simulated" or "native"
  std::string version;
  JobResult job;
  std::optional<PlatformResult> platform;
  std::optional<ProfileResult> profile;
  std::optional<NativeResult> native;

  std::vector<double> iteration_seconds;  // of every timed iteration, slowest rank
  double iteration_s = 0;                 // their mean
  std::vector<double> losses;             // mean over the batch, per iteration; empty without numbers; NaN: diverged
  std::vector<EpochResult> epochs;        // empty when the job counts iterations
  std::vector<LayerResult> layers;
  MemoryResult memory;

  [[nodiscard]] double epoch_s() const;
  [[nodiscard]] double images_per_s() const;
  // Means over ranks, summed over layers; compute + communication = the mean rank's iteration.
  [[nodiscard]] double compute_s() const;        // forward, backward, update
  [[nodiscard]] double communication_s() const;  // collectives, their additions included
  [[nodiscard]] double reduction_s() const;
  [[nodiscard]] double alpha_beta_s() const;
  [[nodiscard]] double paper_s() const;
  [[nodiscard]] double extrapolated_s() const;
  [[nodiscard]] double bytes_sent() const;  // per rank, mean
  bool operator==(const Result&) const = default;
};

}  // namespace simtrain
