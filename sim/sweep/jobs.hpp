// The points of a space as predictions, and what can be told of them before they are simulated.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "report/make_passport.hpp"
#include "sim/platform/platform.hpp"
#include "sim/prediction/prediction.hpp"
#include "sim/sweep/space.hpp"
#include "train/job.hpp"

namespace simtrain {

struct PointJob {
  Job job;
  PredictionOptions options;
};

// Before the simulation.
struct PointOutlook {
  std::string impossible;   // why it makes no sense, on any machine; empty: it may
  std::string not_here;     // why this machine cannot simulate it, though another could; empty: it can
  double cost = 0;          // how long simulating it takes, roughly in seconds of one core; 0 where it is impossible
  double memory_bytes = 0;  // of this machine, to simulate it
};

class SweepJobs {
 public:
  // Reads networks, platforms, data, profile and options of all points. `values`: of sweep_options(), those of the
  // dimensions replaced point by point. InputError when a value of a dimension is wrong by itself, whatever the others
  // are.
  SweepJobs(boost::program_options::variables_map values, SweepSpace space);

  [[nodiscard]] const SweepSpace& space() const { return space_; }
  // Options that concern one prediction alone are as in a sweep: one process, no costs of slow parts, and no result
  // where ranks need more memory than their hosts have.
  [[nodiscard]] PointJob at(std::size_t point) const;
  // memory_bytes: that this machine's simulations may take; none: any.
  [[nodiscard]] PointOutlook outlook(std::size_t point, const std::optional<double>& memory_bytes) const;

  // That the points are made from, each once.
  [[nodiscard]] std::vector<InputFile> files() const;

 private:
  using Words = std::vector<std::string>;
  [[nodiscard]] Words words_of(const SpacePoint& point, const Words& options) const;
  [[nodiscard]] boost::program_options::variables_map values_at(const SpacePoint& point) const;
  [[nodiscard]] std::string why_impossible(const PointJob& at, Plan& plan) const;

  boost::program_options::variables_map values_;
  SweepSpace space_;
  std::map<Words, Job> jobs_;  // by the words that they depend on
  std::map<Words, PredictionOptions> predictions_;
  std::map<std::string, PlatformSummary> platforms_;
  std::shared_ptr<const Profile> profile_;
};

}  // namespace simtrain
