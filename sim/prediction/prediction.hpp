// A prediction: the job, executed by simulated ranks on a platform, with computing priced by a profile.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <memory>
#include <optional>
#include <string>

#include "calibrate/profile.hpp"
#include "report/result.hpp"
#include "sim/engine/lifted_limits.hpp"
#include "sim/placement/placement.hpp"
#include "sim/placement/slow_parts.hpp"
#include "sim/prediction/detail.hpp"
#include "sim/prediction/replica_noise.hpp"
#include "train/job.hpp"
#include "train/plan.hpp"
#include "train/rank_trace.hpp"

namespace simtrain {

// linear: latency + bytes / bandwidth, as the platform says. calibrated: sim/engine/network_model.hpp.
enum class NetworkModel { linear, calibrated };

struct PredictionOptions {
  std::string platform;
  std::string profile;
  std::shared_ptr<const Profile> profile_at_hand;  // what `profile` means, read already; null: it is read when needed
  NetworkModel network_model = NetworkModel::linear;
  Placement placement;
  int ranks_per_host = 1;
  SlowPartsOptions slow_parts;
  bool leave_out_slow_hosts = false;  // hosts of slow_parts hold no ranks
  bool costs_of_slow_parts = true;    // simulate what they cost too
  Detail detail = Detail::automatic;
  bool merge_if_possible = false;  // Detail::merged is a wish: where every message is needed, that it is
  bool bounds = false;             // simulate on networks with fewer limits too: Result::bounds
  LiftedLimits lifted;             // of this simulation's network
  int processes = 0;               // child processes at a time, where several predictions are needed; 0: one per core
  bool real_numerics = false;      // compute and send real numbers too
  double compute_scale = 1;        // 2: a node twice as fast as the profile's
  double bandwidth_scale = 1, latency_scale = 1;  // of all links between hosts: 2: twice the platform's
  bool extrapolate = false;                       // beyond the profile's range, however far
  bool within_host_memory = false;                // ranks that need more than their host has are refused, else told of
  std::optional<double> host_memory_bytes;        // overrides the platform's
  std::optional<double> formula_latency_s, formula_bandwidth_Bps;  // override what is read off the platform
  std::optional<Disturbance> disturbance;                          // of computing; the formulas stay undisturbed
  std::optional<TimelineRequest> timeline;                         // what some ranks do goes into Result::timeline
};

// Of --compute-scale, --bandwidth-scale, --latency-scale.
inline constexpr double kLeastScale = 1e-6, kMostScale = 1e6;

boost::program_options::options_description prediction_options();
PredictionOptions prediction_from(const boost::program_options::variables_map& values);

// InputError when there is none of that name or it cannot be read.
std::shared_ptr<const Profile> load_profile(const PredictionOptions& options);

// What is trained, checked: InputError when it makes no sense on any platform.
Plan checked_plan(const Job& job, const PredictionOptions& options);
// As far as can be told without the platform (sim/prediction/detail.hpp).
Detail detail_of(const Plan& plan, const PredictionOptions& options);

// Runs it; with --placement auto or slow parts some others before, in child processes (sim/prediction/what_if.hpp).
// Once per process: SimGrid's engine is global. The result depends on the arguments and the files they name alone.
// InputError for wrong input, Failure when the simulation deadlocks.
Result predict(const Job& job, const PredictionOptions& options);

}  // namespace simtrain
