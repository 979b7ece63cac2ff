#include "calibrate/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

namespace simtrain {
namespace {

constexpr int kLongPasses = 5;
constexpr int kLeastPasses = 2;  // what was measured once says nothing about noise

// Executions in one repetition, by the shortest of three that are not kept: one may have been interrupted. They also
// bring the code into the caches. What takes much longer than is needed is looked at once.
int executions_for(Workbench& bench, const Call& call) {
  constexpr double kClearlyLong_s = 20 * kLeastTime_s;
  double once_s = bench.time_s(call, 1);
  for (int i = 0; i < 2 && once_s < kClearlyLong_s; ++i) once_s = std::min(once_s, bench.time_s(call, 1));
  return once_s >= kLeastTime_s ? 1 : static_cast<int>(std::ceil(kLeastTime_s / std::max(1e-8, once_s)));
}

}  // namespace

void keep_quantiles(std::vector<Sample>& samples) {
  for (Sample& sample : samples) {
    if (sample.seconds.size() <= kKeptTimes) continue;
    std::sort(sample.seconds.begin(), sample.seconds.end());
    std::vector<double> kept;
    for (std::size_t i = 0; i < kKeptTimes; ++i) {
      const double position = (static_cast<double>(i) + 0.5) / static_cast<double>(kKeptTimes) *
                                  static_cast<double>(sample.seconds.size()) -
                              0.5;
      const auto below = static_cast<std::size_t>(position);
      const double part = position - static_cast<double>(below);
      kept.push_back((1 - part) * sample.seconds[below] + part * sample.seconds[below + 1]);
    }
    sample.seconds = std::move(kept);
  }
}

Measurements measure(Workbench& bench, const std::vector<Call>& calls, const MeasureOptions& options) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed_s = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  Measurements result;
  for (const Call& call : calls) result.samples.push_back({call, {}, false});
  std::vector<int> executions(calls.size());
  std::vector<std::size_t> order(calls.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(options.seed);
  for (int pass = 1; pass <= options.repetitions; ++pass) {
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (options.stop()) {
        result.stopped = true;
        return result;
      }
      if (pass > kLeastPasses && elapsed_s() > options.budget_s) return result;
      const double of_calls = (static_cast<double>(i) / static_cast<double>(order.size()) + pass - 1) /
                              static_cast<double>(options.repetitions);
      options.progress(std::max(of_calls, std::min(1.0, elapsed_s() / options.budget_s)), pass);
      const std::size_t at = order[i];
      const bool is_long = options.is_long(calls[at]);
      if (is_long && pass > kLongPasses) continue;
      if (pass == 1) executions[at] = executions_for(bench, calls[at]);
      // What was measured before has driven everything out: after one execution code, the BLAS's own buffers and hot
      // operands are where they are in a trainer, which makes like calls one after the other.
      if (pass > 1 && !is_long) bench.time_s(calls[at], 1);
      options.meet();
      // A profile has no times of 0 s; a virtual machine's clock of a thread may stand still for a moment.
      const double seconds = std::max(1e-9, bench.time_s(calls[at], executions[at]));
      result.samples[at].seconds.push_back(seconds / executions[at]);
    }
    result.passes = pass;
  }
  return result;
}

}  // namespace simtrain
