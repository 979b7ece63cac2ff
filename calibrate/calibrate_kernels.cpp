#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <unordered_set>

#include "calibrate/certificate.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/measure.hpp"
#include "calibrate/progress.hpp"
#include "calibrate/spread.hpp"

namespace simtrain {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// Ctrl-C sets a flag while this object lives.
class InterruptWatch {
 public:
  InterruptWatch() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  ~InterruptWatch() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

// A rough guess, on the slow side: 20 Gflop/s, 2 GB/s and 2 us.
double guess_s(const Call& call) {
  const CallFloats floats = floats_of(call);
  const double flops = is_gemm(call.kernel) ? 2.0 * static_cast<double>(call.m) * static_cast<double>(call.n) *
                                                  static_cast<double>(call.k)
                                            : 0.0;
  return 2e-6 + flops / 20e9 + 4.0 * static_cast<double>(floats.in + floats.out) / 2e9;
}

std::int64_t memory_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
}

// Floats of each of the workbench's two memories: enough for the largest call twice, and more than the caches of any
// node, within a quarter of the machine's memory.
std::int64_t workbench_floats(const std::vector<Call>& calls) {
  constexpr std::int64_t kUsual = std::int64_t{1} << 27;  // 512 MiB
  std::int64_t floats = kUsual;
  for (const Call& call : calls) floats = std::max({floats, 2 * floats_of(call).in, 2 * floats_of(call).out});
  return std::min(floats, memory_bytes() / 8 / static_cast<std::int64_t>(sizeof(float)));
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

}  // namespace

Profile calibrate_kernels(const std::vector<Call>& needed, const CalibrationOptions& options) {
  const InterruptWatch watch;
  const double most_s = options.budget_s / 20;
  std::vector<Call> calls = measurable(needed, most_s);
  SpreadLimits limits;
  limits.shapes = static_cast<int>(std::clamp(options.budget_s, 20.0, 200.0));
  const std::vector<Call> spread = measurable(spread_calls(calls, limits, options.seed), most_s);
  calls.insert(calls.end(), spread.begin(), spread.end());
  Workbench bench(workbench_floats(calls), options.seed);
  std::erase_if(calls, [&](const Call& call) { return !bench.fits(call); });
  tell_left_out(needed, calls);

  Progress progress;
  MeasureOptions measuring{options.budget_s, options.repetitions, options.seed};
  measuring.stop = [] { return interrupted != 0; };
  measuring.progress = [&](double fraction, int pass) { progress(fraction, pass); };
  Measurements measurements = measure(bench, calls, measuring);
  progress.end();
  if (measurements.stopped) throw Interrupted{};
  keep_aside(measurements.samples, options.seed);
  return Profile::fit(certify(options.machine, options.command, options.seed, describe_rotation(bench.capacity())),
                      std::move(measurements.samples));
}

}  // namespace simtrain
