#include <algorithm>
#include <cstdio>
#include <limits>
#include <optional>
#include <unordered_set>

#include "base/memory.hpp"
#include "calibrate/certificate.hpp"
#include "calibrate/companions.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/interrupt.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/measure.hpp"
#include "calibrate/progress.hpp"
#include "calibrate/spread.hpp"

namespace simtrain {
namespace {

// A rough guess, on the slow side: 20 Gflop/s, 2 GB/s and 2 us.
double guess_s(const Call& call) {
  const CallFloats floats = floats_of(call);
  const double flops = is_gemm(call.kernel) ? 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) *
                                                  static_cast<double>(call.k)
                                            : 0.0;
  return 2e-6 + flops / 20e9 + 4.0 * static_cast<double>(floats.in + floats.out) / 2e9;
}

// About 10 ms.
bool is_long(const Call& call) { return guess_s(call) > 0.04; }

// Floats of each of the workbench's two memories: enough for the largest call twice, and more than the caches of any
// node; within a quarter of the machine's memory, all processes together.
std::int64_t workbench_floats(const std::vector<Call>& calls, int processes) {
  constexpr std::int64_t kUsual = std::int64_t{1} << 27;  // 512 MiB
  std::int64_t floats = kUsual;
  for (const Call& call : calls) floats = std::max({floats, 2 * floats_of(call).in, 2 * floats_of(call).out});
  return std::min(floats,
                  static_cast<std::int64_t>(total_bytes()) / 8 / processes / static_cast<std::int64_t>(sizeof(float)));
}

// The calls as the workbench can execute them, each once, without those that would take too long.
std::vector<Call> measurable(const std::vector<Call>& calls, double most_s) {
  std::vector<Call> kept;
  std::unordered_set<Call, CallHash> seen;
  for (const Call& wanted : calls)
    if (const Call call = executable(wanted); guess_s(call) <= most_s && seen.insert(call).second) kept.push_back(call);
  return kept;
}

// What the plans need but is not measured.
void tell_left_out(const std::vector<Call>& needed, const std::vector<Call>& measured) {
  const std::unordered_set<Call, CallHash> known(measured.begin(), measured.end());
  const auto left_out =
      std::count_if(needed.begin(), needed.end(), [&](const Call& call) { return !known.contains(executable(call)); });
  if (left_out > 0)
    std::fprintf(stderr,
                 "calibrate: %td of %zu calls that the plans make are too large for this machine's memory or for the "
                 "budget; predictions will extrapolate to them\n",
                 left_out, needed.size());
}

// Measures calls under a load; companions, if there are any, do the same in step.
std::vector<Sample> measure_under(const Load& load, const std::vector<Call>& calls, std::int64_t floats,
                                  const CalibrationOptions& options, double budget_s) {
  std::optional<Companions> companions;
  if (load.processes > 1)
    companions.emplace(load.processes, [&](const Companions::Meet& meet) {
      Workbench bench(floats, options.seed, load.threads);
      MeasureOptions measuring{1e9, std::numeric_limits<int>::max(), options.seed};
      measuring.is_long = is_long;
      measuring.meet = meet;
      measure(bench, calls, measuring);  // until the parent has had enough
    });
  Workbench bench(floats, options.seed, load.threads);
  Progress progress(std::to_string(load.processes) + (load.processes == 1 ? " process, " : " processes, ") +
                    std::to_string(load.threads) + (load.threads == 1 ? " thread" : " threads"));
  MeasureOptions measuring{budget_s, options.repetitions, options.seed};
  measuring.stop = [] { return InterruptWatch::interrupted(); };
  measuring.progress = [&](double fraction, int pass) { progress(fraction, pass); };
  measuring.is_long = is_long;
  if (companions) measuring.meet = [&] { companions->meet(); };
  Measurements measurements = measure(bench, calls, measuring);
  progress.end();
  if (measurements.stopped) throw Interrupted{};
  keep_quantiles(measurements.samples);
  keep_aside(measurements.samples, options.seed);
  return std::move(measurements.samples);
}

// Only products run on several threads: the rest is as on one.
std::vector<Call> affected_by(const Load& load, std::vector<Call> calls) {
  if (load.threads > 1) std::erase_if(calls, [](const Call& call) { return !is_gemm(call.kernel); });
  return calls;
}

}  // namespace

Profile calibrate_kernels(const std::vector<Call>& needed, const CalibrationOptions& options) {
  const InterruptWatch watch;
  const double budget_s = options.budget_s / static_cast<double>(options.loads.size());
  const double most_s = budget_s / 60;
  std::vector<Call> calls = measurable(needed, most_s);
  SpreadLimits limits;
  limits.shapes = static_cast<int>(std::clamp(budget_s, 20.0, 200.0));
  const std::vector<Call> spread = measurable(spread_calls(calls, limits, options.seed), most_s);
  calls.insert(calls.end(), spread.begin(), spread.end());
  int processes = 1;
  for (const Load& load : options.loads) processes = std::max(processes, load.processes);
  const std::int64_t floats = workbench_floats(calls, processes);
  std::erase_if(calls, [&](const Call& call) { return !fits(call, floats); });
  tell_left_out(needed, calls);

  std::optional<Profile> profile;
  for (const Load& load : options.loads) {
    std::vector<Sample> samples = measure_under(load, affected_by(load, calls), floats, options, budget_s);
    if (!profile)
      profile = Profile::fit(certify(options.machine, options.command, options.seed, describe_rotation(floats)),
                             std::move(samples));
    else
      profile->add(load, KernelTimes(std::move(samples)));
  }
  return std::move(*profile);
}

}  // namespace simtrain
