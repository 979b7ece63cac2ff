#include "calibrate/network_measure.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "base/random.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/network_fit.hpp"

namespace simtrain {
namespace {

constexpr std::size_t kLeastPasses = 3, kMostPasses = 25;
// Loaded rounds in a row: as many as take about so long.
constexpr std::int64_t kFewestRounds = 4, kMostRounds = 12;
constexpr double kLoadedVisit_s = 0.5;
constexpr double kVisit_s = 1e-3;  // short messages are repeated until a visit takes about as long

struct Target {
  MessageTiming timing;
  double once_s;  // at the first look
  MessageSample sample;
};

bool is_call(MessageTiming timing) {
  return timing == MessageTiming::send_call || timing == MessageTiming::isend_call ||
         timing == MessageTiming::late_receive;
}

bool after_computing(MessageTiming timing) {
  return timing == MessageTiming::one_way_computing || timing == MessageTiming::exchange_computing;
}

double delay_for(MessageTiming timing, double once_s) {
  if (timing == MessageTiming::late_receive) return 50e-6 + 3 * once_s;  // for the message to arrive, generously
  return timing == MessageTiming::rotation_loaded ? once_s : 0;
}

Probe probe_for(const Target& target) {
  if (is_loaded(target.timing)) {
    const auto rounds = static_cast<std::int64_t>(kLoadedVisit_s / target.once_s);
    return {target.timing, target.sample.bytes, std::clamp(rounds, kFewestRounds, kMostRounds),
            delay_for(target.timing, target.once_s)};
  }
  // What is timed is not all: a ping-pong is two messages, and a product takes longer than a short message.
  const std::int64_t most = after_computing(target.timing) ? 5 : is_call(target.timing) ? 20 : 300;
  const auto fitting = static_cast<std::int64_t>(kVisit_s / target.once_s);
  return {target.timing, target.sample.bytes, std::clamp<std::int64_t>(fitting, 1, most),
          delay_for(target.timing, target.once_s)};
}

// The shortest of three visits, or of fewer when they have taken long: one may have met an interruption.
double look(const Visit& visit, const Probe& probe, double most_s) {
  double shortest_s = visit(probe);
  double sum_s = shortest_s;
  for (int i = 1; i < 3 && (shortest_s > most_s || sum_s < most_s / 4); ++i) {
    const double once_s = visit(probe);
    sum_s += once_s;
    shortest_s = std::min(shortest_s, once_s);
  }
  return std::max(1e-8, shortest_s);
}

// The sizes of one timing that the budget allows, each with what one visit takes.
std::vector<Target> first_look(const Visit& visit, MessageTiming timing, const std::vector<std::int64_t>& sizes,
                               double most_s) {
  std::vector<Target> targets;
  double once_s = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (is_call(timing) && sizes[i] > kLargestOfCalls) break;
    // Time grows with the size at most, once it is more than a moment.
    const double growth = i == 0 ? 1 : static_cast<double>(sizes[i] + 1) / static_cast<double>(sizes[i - 1] + 1);
    if (once_s * growth > most_s) break;
    const std::int64_t repetitions = is_loaded(timing) ? kFewestRounds : 1;
    once_s = look(visit, {timing, sizes[i], repetitions, delay_for(timing, once_s * growth)}, most_s);
    targets.push_back({timing, once_s, {sizes[i], {}, false, is_loaded(timing)}});
  }
  return targets;
}

}  // namespace

std::vector<std::int64_t> message_sizes(std::int64_t largest, std::uint64_t seed) {
  constexpr int kBetween = 3;
  std::set<std::int64_t> sizes{0, largest};
  for (std::int64_t power = 1; power <= largest; power *= 2) {
    sizes.insert(power);
    for (int i = 0; i < kBetween; ++i) {
      const double u = random_unit(seed, static_cast<std::uint64_t>(power), static_cast<std::uint64_t>(i));
      const auto size = static_cast<std::int64_t>(static_cast<double>(power) * std::exp2((i + u) / kBetween));
      if (size <= largest) sizes.insert(size);
    }
  }
  return {sizes.begin(), sizes.end()};
}

bool spread_known(std::vector<double> seconds) {
  constexpr std::size_t kLeast = 6;
  constexpr double kPrecision = 0.02, kNormal95 = 1.96;
  if (seconds.size() < kLeast) return false;
  std::sort(seconds.begin(), seconds.end());
  // The number of times below the true quartile is binomial (n, 1/4), nearly normal with this deviation.
  const auto n = static_cast<double>(seconds.size());
  const double half_width = kNormal95 * std::sqrt(n * 3 / 16);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 4 - half_width)));
  const auto high = static_cast<std::size_t>(std::min(n - 1, std::ceil(n / 4 + half_width)));
  const double quartile = undisturbed_s(seconds);
  return seconds[high] - quartile <= kPrecision * quartile && quartile - seconds[low] <= kPrecision * quartile;
}

std::map<MessageTiming, std::vector<MessageSample>> measure_messages(const Visit& visit,
                                                                     const std::vector<MessageTiming>& timings,
                                                                     const NetworkMeasureOptions& options) {
  const double start_s = options.now_s();
  const auto used = [&] { return (options.now_s() - start_s) / options.budget_s; };
  const std::vector<std::int64_t> sizes =
      options.sizes.empty() ? message_sizes(options.largest_bytes, options.seed) : options.sizes;
  const double most_s = options.budget_s / (40.0 * static_cast<double>(timings.size()));
  std::vector<Target> targets;
  for (const MessageTiming timing : timings) {
    options.progress(used(), 0);
    const std::vector<Target> found = first_look(visit, timing, sizes, most_s);
    targets.insert(targets.end(), found.begin(), found.end());
  }
  std::mt19937_64 random(options.seed);
  for (std::size_t pass = 1; pass <= kMostPasses; ++pass) {
    std::shuffle(targets.begin(), targets.end(), random);
    bool all_known = true;
    for (Target& target : targets) {
      if (pass > kLeastPasses && used() > 1) break;
      if (spread_known(target.sample.seconds)) continue;
      all_known = false;
      options.progress(std::min(1.0, used()), static_cast<int>(pass));
      target.sample.seconds.push_back(to_four_digits(visit(probe_for(target))));
    }
    if (all_known || (pass >= kLeastPasses && used() > 1)) break;
  }
  std::map<MessageTiming, std::vector<MessageSample>> result;
  for (Target& target : targets) result[target.timing].push_back(std::move(target.sample));
  for (auto& [timing, samples] : result) {
    std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
    keep_aside(samples, options.seed);
  }
  return result;
}

}  // namespace simtrain
