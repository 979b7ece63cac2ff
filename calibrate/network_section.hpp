// The network section of a profile: what messages between two processes cost, measured by `calibrate network`.
//
// Two places, each of which may be missing: local (two processes of one node, through its memory) and remote (of two
// nodes). Each has curves, seconds over message bytes; a curve is its samples and a fit,
//
//   seconds(n) = latency_s + n / bandwidth_Bps      of the segment that n lies in,
//
// one segment per protocol of the MPI library or level of the memory hierarchy. A latency is negative where time grows
// faster than the size, as when messages outgrow a cache; seconds(n) is positive nevertheless. What a segment has
// beside the place's reference latency and bandwidth (those of the platform that `calibrate network` writes) are its
// factors.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/profile_types.hpp"

namespace simtrain {

enum class MessageTiming {
  one_way_idle,        // half of a ping-pong
  one_way_by_clock,    // from the call that sends to the return of the call that receives; local only: one clock
  one_way_computing,   // as idle, but once after a matrix product, from and to memory that was not used of late
  exchange_idle,       // MPI_Sendrecv, both directions at once, one after the other
  exchange_computing,  // once after a matrix product
  send_call,           // inside MPI_Send, while the receiver waits for the message
  isend_call,          // inside MPI_Isend
  late_receive,        // inside MPI_Recv, when the message has had time to arrive
  // By all processes of the place at once, as in a trainer's collectives; mean over them:
  exchange_loaded,  // MPI_Sendrecv in pairs that change from one to the next
  shift_loaded,     // MPI_Sendrecv round a ring: to the next process, from the one before
  pair_loaded,      // MPI_Sendrecv in pairs that stay
  rotation_loaded,  // MPI_Sendrecv to a process further on each time, from the one as far back: an all-to-all
};
inline constexpr std::array<std::string_view, 12> kMessageTimingNames{
    "one_way_idle", "one_way_by_clock", "one_way_computing", "exchange_idle", "exchange_computing", "send_call",
    "isend_call",   "late_receive",     "exchange_loaded",   "shift_loaded",  "pair_loaded",        "rotation_loaded"};
constexpr bool is_loaded(MessageTiming timing) { return timing >= MessageTiming::exchange_loaded; }
constexpr std::string_view name_of(MessageTiming timing) {
  return kMessageTimingNames[static_cast<std::size_t>(timing)];
}

// The first quartile (nearest rank) of times of the same thing: other processes only ever add to a message's time, and
// on a busy machine to most of them. Precondition: not empty.
double undisturbed_s(std::vector<double> seconds);

// One time per visit to this size, to four significant digits: undisturbed_s of the visit's repetitions, or their mean
// where the timing is a loaded one, since there the disturbance is what is measured.
struct MessageSample {
  std::int64_t bytes = 0;
  std::vector<double> seconds;
  bool kept_aside = false;  // took no part in the fit and judges it
  bool loaded = false;      // of a loaded timing
  // undisturbed_s of the visits; of a loaded timing their mean.
  [[nodiscard]] double measured_s() const;
};

struct CurveSegment {
  std::int64_t from = 0, to = 0;  // bytes, both included
  double latency_s = 0, bandwidth_Bps = 1;
  [[nodiscard]] double seconds(std::int64_t bytes) const {
    return latency_s + static_cast<double>(bytes) / bandwidth_Bps;
  }
};

struct TimingCurve {
  std::vector<MessageSample> samples;  // by size, each size once
  std::vector<CurveSegment> segments;  // at least one; each begins one byte after the one before it
  FitError error;                      // over the samples kept aside

  // Of the first or last segment when `bytes` lies outside.
  [[nodiscard]] const CurveSegment& segment(std::int64_t bytes) const;
  [[nodiscard]] double seconds(std::int64_t bytes) const { return segment(bytes).seconds(bytes); }
  [[nodiscard]] bool covers(std::int64_t bytes) const {
    return bytes >= segments.front().from && bytes <= segments.back().to;
  }
};

struct PlaceCertificate {
  std::string machine, cpu;  // of both nodes, when there are two
  std::string mpi;           // the library and its version
  std::string settings;      // environment variables that steer it
  std::string date, command;
  std::uint64_t seed = 0;  // of the sizes, their order and the samples kept aside
};

struct NetworkPlace {
  PlaceCertificate certificate;
  double latency_s = 0, bandwidth_Bps = 0;      // reference: the shortest one-way message; what the longest adds to it
  std::map<MessageTiming, TimingCurve> curves;  // at least one_way_idle and exchange_idle

  // The curves that a simulation takes: loaded if that was measured; after computing, since a trainer's messages carry
  // what a kernel has just written; else idle.
  [[nodiscard]] bool after_computing() const;
  [[nodiscard]] bool loaded() const { return curves.contains(MessageTiming::exchange_loaded); }
  [[nodiscard]] const TimingCurve& one_way() const;
  [[nodiscard]] const TimingCurve& exchange() const;
  [[nodiscard]] const TimingCurve& exchange_with_same() const;  // as the one before it; exchange() where not measured
  [[nodiscard]] const TimingCurve* shift() const;               // null where it was not measured
  [[nodiscard]] const TimingCurve* rotation() const;            // shift() where it was not measured
};

struct NetworkSection {
  std::optional<NetworkPlace> local, remote;
  [[nodiscard]] bool empty() const { return !local && !remote; }
};

// Takes the reference of a place from its idle one-way curve.
void set_reference(NetworkPlace& place);

}  // namespace simtrain
