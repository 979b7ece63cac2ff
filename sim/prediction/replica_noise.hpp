// What one replica of a prediction draws: how far the profile, the nodes and each run of a kernel are from their
// medians. docs/decisions/0009-replicas.md says why so.
//
//   profile error  one factor per call, the same for all ranks: log-normal with median 1 and the spread that the fit
//                  showed on the samples kept aside in the call's region. 1 for shapes that were measured themselves
//   node           one factor per node: log-normal with median 1 and a spread that is assumed, since a profile is of
//                  one node
//   time           one draw per operation that a rank enqueues and distinct call in it, out of what was measured: the
//                  repetitions of the samples in the call's region, each divided by the median of its sample. An
//                  average of `times` such draws has their mean and their deviation / sqrt(times):
//                  mean + (draw - mean)/sqrt(times)
//
// Everything follows from (seed, replica) and the call, the node, or the rank and how often it has drawn: it does not
// depend on the order of simulation, and two grids of the same replica have the same profile errors and nodes (common
// random numbers: Law, "Simulation Modeling and Analysis", section 11.2).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "calibrate/kernel_times.hpp"
#include "kernels/noise.hpp"

namespace simtrain {

struct Disturbance {
  std::uint64_t seed = 1;
  int replica = 0;
  double node_spread = 0;  // standard deviation of the logarithm of nodes' times: 0.01 is 1 %
  // What each drawn thing is seeded by.
  enum class Purpose : std::uint64_t { profile_error, node, time, network };
  [[nodiscard]] std::uint64_t seed_of(Purpose purpose) const;
};

class ReplicaNoise {
 public:
  // Repetitions of samples, each divided by its sample's median.
  struct Repetitions {
    std::vector<double> ratios;
    double mean = 1;
  };

  // times: must outlive the object; of the profile named `profile`. InputError when no sample was repeated.
  ReplicaNoise(const KernelTimes& times, const std::string& profile, const Disturbance& disturbance);

  // Must not outlive this object.
  [[nodiscard]] std::unique_ptr<Noise> of_rank(int rank, int node);

  // Factors, > 0. InputError when a call was not measured and nothing was kept aside that tells the fit's error.
  [[nodiscard]] double profile_error(const Call& call) const;
  [[nodiscard]] double node_factor(int node) const;
  // Of the call's region of its kernel; where that has none of the kernel; else of all kernels.
  [[nodiscard]] const Repetitions& repetitions(const Call& call) const;

 private:
  struct OfCall {
    double profile_error;
    const Repetitions* repetitions;
  };
  class OfRank;

  [[nodiscard]] double error_spread(const Call& call) const;
  const OfCall& of_call(const Call& call);

  const KernelTimes& times_;
  std::string profile_;
  double node_spread_;
  std::uint64_t error_seed_, node_seed_, time_seed_;
  std::map<std::pair<Kernel, std::string>, Repetitions> by_region_;
  std::map<Kernel, Repetitions> by_kernel_;
  Repetitions all_;
  std::unordered_map<Call, OfCall, CallHash> known_;
};

}  // namespace simtrain
