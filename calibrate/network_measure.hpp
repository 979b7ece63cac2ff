// What to measure of a network, and for how long: sizes, order, repetitions. Knows no MPI; calibrate/message_bench.hpp
// executes the probes.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "calibrate/network_section.hpp"

namespace simtrain {

// One visit to one size.
struct Probe {
  MessageTiming timing = MessageTiming::one_way_idle;
  std::int64_t bytes = 0;
  std::int64_t repetitions = 1;  // the visit's time is the first quartile over them
  // late_receive: how long the message has time to arrive; rotation_loaded: how far the processes are out of step
  double delay_s = 0;
};
using Visit = std::function<double(const Probe&)>;  // seconds of one message or call, or of one exchange

struct NetworkMeasureOptions {
  double budget_s = 180;
  std::int64_t largest_bytes = std::int64_t{1} << 28;
  std::vector<std::int64_t> sizes = {};  // rising; none: message_sizes(largest_bytes, seed)
  std::uint64_t seed = 1;
  // Told before every visit what part is done, and the pass (from 1; 0: looking how long the visits take).
  std::function<void(double fraction, int pass)> progress = [](double, int) {};
  std::function<double()> now_s;  // a clock that goes forward
};

// The calls are of interest for small messages only: of long ones they take as long as the message.
inline constexpr std::int64_t kLargestOfCalls = std::int64_t{1} << 20;

// 0, every power of two up to `largest`, three sizes at random in each factor of two between them, and `largest`.
std::vector<std::int64_t> message_sizes(std::int64_t largest, std::uint64_t seed);

// Whether the spread is known: at least six times, and the 95 % confidence interval of their first quartile (order
// statistics) lies within 2 % of it.
bool spread_known(std::vector<double> seconds);

// Visits all timings and sizes in passes, each in a new random order, so that a disturbance hits single visits to many
// sizes; until the spread of each is known or the budget is used up, three passes at least. A first look, by rising
// size, leaves out sizes one visit to which would take more than 1/40 of a timing's share of the budget.
// The samples are sorted by size and a fifth of them is kept aside.
std::map<MessageTiming, std::vector<MessageSample>> measure_messages(const Visit& visit,
                                                                     const std::vector<MessageTiming>& timings,
                                                                     const NetworkMeasureOptions& options);

}  // namespace simtrain
