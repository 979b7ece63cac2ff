#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "sim/sweep/bound.hpp"
#include "sim/sweep/run.hpp"

namespace simtrain {

namespace {

using Points = std::vector<std::size_t>;

// Points of one platform each, which a child loads once: as many as there are children at a time.
std::vector<Points> parts_of(const SweepJobs& jobs, const Points& points, std::size_t workers) {
  std::map<std::string, Points> by_platform;
  for (const std::size_t point : points) by_platform[jobs.at(point).options.platform].push_back(point);
  std::vector<Points> parts;
  for (const auto& [platform, of_platform] : by_platform) {
    const std::size_t count = std::min(workers, of_platform.size());
    std::vector<Points> dealt(count);
    for (std::size_t i = 0; i < of_platform.size(); ++i) dealt[i % count].push_back(of_platform[i]);
    parts.insert(parts.end(), dealt.begin(), dealt.end());
  }
  return parts;
}

// In a child. A point that cannot be placed has none: its simulation says what is wrong.
std::string bounds_of(const SweepJobs& jobs, const Points& points) {
  PlatformBounds bounds(jobs.at(points.front()).options);
  nlohmann::json answer = nlohmann::json::array();
  for (const std::size_t point : points) {
    const PointJob at = jobs.at(point);
    try {
      answer.push_back(bounds.lower_bound_s(at.job, at.options));
    } catch (const InputError&) {
      answer.push_back(nullptr);
    }
  }
  return answer.dump();
}

}  // namespace

void run_bounds(const SweepJobs& jobs, const Points& points, const TaskLimits& limits, SweepLedger& ledger) {
  Points unknown;
  for (const std::size_t point : points)
    if (!ledger.state(point).lower_bound_s) unknown.push_back(point);
  const std::vector<Points> parts = parts_of(jobs, unknown, static_cast<std::size_t>(limits.workers));
  run_tasks(
      limits, parts.size(), [&](std::size_t i) { return ledger.in_child([&] { return bounds_of(jobs, parts[i]); }); },
      [&](const TaskOutcome& outcome) {
        if (outcome.kind == TaskOutcome::Kind::input_error) throw InputError(outcome.text);
        if (outcome.kind == TaskOutcome::Kind::failure) throw Failure("lower bounds: " + outcome.text);
        const nlohmann::json answer = nlohmann::json::parse(outcome.text);
        const Points& part = parts[outcome.task];
        for (std::size_t i = 0; i < part.size(); ++i)
          if (answer[i].is_number()) ledger.lower_bound(part[i], answer[i].get<double>());
      });
}

}  // namespace simtrain
