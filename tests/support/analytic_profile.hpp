// A profile whose times are known, for tests that work out what an iteration computes.
#pragma once

#include <string>
#include <vector>

#include "base/files.hpp"
#include "calibrate/profile.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/sample_certificate.hpp"
#include "train/job.hpp"
#include "train/plan.hpp"

namespace simtrain {

// Every call of the job's plan on these grids was measured three times: at its analytic price, and `noise` less and
// more.
inline void write_analytic_profile(const std::string& path, const Job& job, const std::vector<Grid>& grids,
                                   const AnalyticCost& cost, double noise) {
  std::vector<Sample> samples;
  const auto add = [&](const Call& call, std::int64_t) {
    for (const Sample& sample : samples)
      if (sample.call == call) return;
    const double seconds = cost.estimate(call).seconds;
    samples.push_back({call, {seconds * (1 - noise), seconds, seconds * (1 + noise)}, false});
  };
  for (const Grid grid : grids) {
    PlanOptions on_grid = job.plan;
    on_grid.grid = grid;
    const Plan plan = make_plan(job.network, on_grid);
    for (const Step& step : plan.steps)
      if (const auto* compute = std::get_if<ComputeStep>(&step)) for_each_call(plan.operation(*compute, {}), add);
  }
  // Additions of all-reduces; a profile without any is refused.
  for (std::int64_t elements = 1; elements <= (grids.back().size() > 1 ? 1024 : 1); ++elements)
    add({Kernel::add, elements}, 1);
  write_file(path, Profile::fit(sample_certificate(), samples).to_json());
}

}  // namespace simtrain
