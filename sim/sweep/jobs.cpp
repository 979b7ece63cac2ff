#include "sim/sweep/jobs.hpp"

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "sim/engine/footprint.hpp"
#include "sim/prediction/prediction_files.hpp"
#include "train/job_files.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

const std::vector<std::string> kOfJobs{"network", "batch", "collectives", "strategy"};
const std::vector<std::string> kOfPredictions{"platform", "placement"};

// What a simulation takes of a core, by docs/performance.md: enough to tell how much of a sweep is done, and who should
// get what. Large jobs take longer for each message than small ones.
double seconds_of_core(double messages, bool merged, double ranks) {
  constexpr double kStart_s = 0.1, kMessage_s = 10e-6, kMergedRank_s = 1e-3, kManyMessages = 2e6;
  if (merged) return kStart_s + kMergedRank_s * ranks;
  return kStart_s + kMessage_s * messages * (1 + messages / kManyMessages);
}

}  // namespace

SweepJobs::SweepJobs(po::variables_map values, SweepSpace space)
    : values_(std::move(values)), space_(std::move(space)) {
  for (std::size_t i = 0; i < space_.size(); i += space_.grids.size()) {
    const SpacePoint point = space_.point(i);
    const Words of_job = words_of(point, kOfJobs), of_prediction = words_of(point, kOfPredictions);
    if (jobs_.contains(of_job) && predictions_.contains(of_prediction)) continue;
    const po::variables_map here = values_at(point);
    if (!jobs_.contains(of_job)) {
      const Job& job = jobs_.emplace(of_job, job_from(here)).first->second;
      refuse_auto(job.plan.strategy,
                  "simtrain --strategy auto --processes P, which tries all grids for each layer, or another strategy");
    }
    if (predictions_.contains(of_prediction)) continue;
    PredictionOptions options = prediction_from(here);
    options.within_host_memory = true;
    if (profile_ == nullptr) profile_ = load_profile(options);  // once for all points and their child processes
    options.profile_at_hand = profile_;
    if (space_.size() > 1) {
      options.processes = 1;  // the sweep's own are enough
      options.costs_of_slow_parts = false;
    }
    if (!platforms_.contains(options.platform))
      platforms_.emplace(options.platform, summarise_platform(options.platform));
    predictions_.emplace(of_prediction, options);
  }
}

SweepJobs::Words SweepJobs::words_of(const SpacePoint& point, const Words& options) const {
  Words words;
  for (std::size_t i = 0; i < space_.dimensions.size(); ++i)
    if (std::find(options.begin(), options.end(), space_.dimensions[i].option) != options.end())
      words.push_back(point.values[i]);
  return words;
}

po::variables_map SweepJobs::values_at(const SpacePoint& point) const {
  po::variables_map values = values_;
  std::map<std::string, po::variable_value>& words = values;
  words.erase("scenario");  // its lines are values already
  for (std::size_t i = 0; i < space_.dimensions.size(); ++i) {
    const std::string& option = space_.dimensions[i].option;
    words.erase(option);
    if (!point.values[i].empty()) words.emplace(option, po::variable_value(boost::any(point.values[i]), false));
  }
  return values;
}

PointJob SweepJobs::at(std::size_t number) const {
  const SpacePoint point = space_.point(number);
  PointJob at{jobs_.at(words_of(point, kOfJobs)), predictions_.at(words_of(point, kOfPredictions))};
  at.job.plan.grid = point.grid;
  return at;
}

std::string SweepJobs::why_impossible(const PointJob& at, Plan& plan) const {
  const std::int64_t ranks = at.job.plan.grid.size();
  const PlatformSummary& platform = platforms_.at(at.options.platform);
  if (at.options.placement.kind != Placement::Kind::file && platform.hosts * at.options.ranks_per_host < ranks)
    return "--processes: " + std::to_string(ranks) + " is more than the " + std::to_string(platform.hosts) +
           " hosts of platform '" + at.options.platform + "' hold, " + std::to_string(at.options.ranks_per_host) +
           " on each";
  try {
    plan = checked_plan(at.job, at.options);
    (void)detail_of(plan, at.options);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

PointOutlook SweepJobs::outlook(std::size_t number, const std::optional<double>& memory_bytes) const {
  const PointJob at = this->at(number);
  const std::int64_t ranks = at.job.plan.grid.size();
  PointOutlook outlook;
  Plan plan;
  outlook.impossible = why_impossible(at, plan);
  if (!outlook.impossible.empty()) return outlook;
  const bool lanes = plan.options.overlap.any() && plan.options.overlap.progress == Progress::ideal;
  outlook.memory_bytes = simulated_bytes(lanes ? 2 * ranks : ranks);
  if (memory_bytes && outlook.memory_bytes > *memory_bytes)
    outlook.not_here = "--memory: " + format_bytes(*memory_bytes) + " does not hold a simulation of " +
                       std::to_string(ranks) + " ranks; expected at least " + format_bytes(outlook.memory_bytes);
  const bool merged = detail_of(plan, at.options) == Detail::merged;
  const double once = seconds_of_core(messages_of(plan), merged, static_cast<double>(ranks));
  const bool tried = at.options.placement.kind == Placement::Kind::automatic;
  const double trials = tried ? static_cast<double>(deterministic_placements().size()) : 0;
  outlook.cost = once * (at.job.iterations + at.job.warm_up + trials);
  return outlook;
}

std::vector<InputFile> SweepJobs::files() const {
  std::vector<InputFile> files;
  const auto add = [&](const std::vector<InputFile>& some) {
    for (const InputFile& file : some) {
      const auto same = [&](const InputFile& other) { return other.option == file.option && other.name == file.name; };
      if (std::none_of(files.begin(), files.end(), same)) files.push_back(file);
    }
  };
  std::set<Words> seen;
  for (std::size_t i = 0; i < space_.size(); i += space_.grids.size()) {
    const SpacePoint point = space_.point(i);
    if (seen.insert(words_of(point, {"network"})).second) add(job_files(values_at(point)));
  }
  for (const auto& [words, options] : predictions_) add(prediction_files(options));
  return files;
}

}  // namespace simtrain
