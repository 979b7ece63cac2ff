#include "sim/sweep/timeline.hpp"

#include "base/error.hpp"
#include "base/options.hpp"
#include "base/progress_line.hpp"
#include "report/json.hpp"
#include "report/sweep_ranking.hpp"
#include "sim/engine/workers.hpp"
#include "sim/prediction/what_if.hpp"
#include "sim/sweep/options.hpp"
#include "sim/sweep/sweep_passport.hpp"

namespace simtrain {

FastestTimeline timeline_of_fastest(const Sweep& sweep, const SweepJobs& jobs,
                                    const std::function<std::string(const std::function<std::string()>&)>& in_child) {
  const std::vector<std::size_t> order = ranking_of(sweep);
  if (order.empty()) return {};
  const Result& fastest = *sweep.points[order.front()].result;
  PointJob at = jobs.at(order.front());
  at.options = placed_as(times_only(at.options), fastest.job.placement);
  at.options.timeline = TimelineRequest{.messages = false};
  ProgressLine line;
  line.show("simulating " + label_of(sweep, sweep.points[order.front()]) + " once more, for what its ranks do");
  const auto work = [&](std::size_t) { return in_child([&] { return to_json(predict(at.job, at.options)); }); };
  const TaskOutcome outcome = run_all(1, 1, work).front();
  if (outcome.kind != TaskOutcome::Kind::answer) return {{}, outcome.text};
  Result again = result_from_json("the simulation of the fastest point", outcome.text);
  if (again.iteration_s != fastest.iteration_s)
    return {{}, "simulated once more it takes another time, so that this is not the SimGrid that the result is of"};
  return {std::move(again.timeline), {}};
}

FastestTimeline timeline_of_fastest(const Sweep& sweep, const std::string& path, const SweepInputs& inputs) {
  try {
    std::vector<std::string> arguments = passport_of(inputs).arguments;
    take_first(arguments);
    const auto values = parse_options(arguments, sweep_options());
    const SweepJobs jobs(values, space_from(values));
    check_same_sweep(path, inputs, "", inputs_from(values, jobs));
    return timeline_of_fastest(sweep, jobs, [](const auto& work) { return work(); });
  } catch (const InputError& error) {
    return {{}, error.what()};
  }
}

}  // namespace simtrain
