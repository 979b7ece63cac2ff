// The network model "calibrated": simulated messages take what `calibrate network` measured
// (calibrate/network_section.hpp).
//
// Where the model "linear" takes n bytes over a route in latency + n / bandwidth, this one multiplies latency and
// bandwidth by factors of the measured segment that n lies in:
//
//   remote   route latency x (segment latency / reference latency) + n / (route bandwidth x (segment / reference
//            bandwidth)): on a platform with the profile's reference figures, what was measured; on another one, the
//            same protocols over its links
//   local    between ranks of one host, or of hosts that have the same property "node": what was measured, whatever the
//            platform says of its loopback, since a node's memory belongs to the profile
//
// What an exchange costs beyond one way (Open MPI sends both directions of a large one over one connection, one after
// the other; through shared memory each process copies twice) belongs to the pair of ranks: a ring, where each sends to
// another one than it receives from, is free of it over a network. A shared link in place of a full-duplex one would
// slow down the ring as well, and all sizes alike. So the later one of two messages that are under way between two
// hosts in opposite directions gets the difference of the measured curves, exchange - one way, as additional latency,
// in proportion to the part of the other one that is still to come. MPI_Sendrecv ends with the later one. Where it was
// measured, an exchange of two whose latest exchange was with each other has a curve of its own (pair_loaded): they
// wait for each other only, while partners that change wait for those that their partners had before.
//
// Likewise, where it was measured (calibrate network --loaded), what a shift costs beyond one way: a rank that receives
// from one and sends to another answers behind what it sends. A message to a host that is sending elsewhere gets the
// difference shift - one way; so does one from a host that is receiving from elsewhere a message that began too early
// to get it. In a ring of ranks in step every rank then meets it, in every round. Where sender or receiver had another
// partner in that direction before, as in a redistribution, the curve is that of rotations (rotation_loaded): messages
// that do not wait for their receiver arrive there two at a time when ranks are out of step.
//
// The processor's time inside the calls is part of the measured one-way times and not charged apart: the trainer's
// calls block, so it makes no difference when the time passes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "calibrate/network_section.hpp"

namespace simgrid::s4u {
class Engine;
class Host;
class Link;
}  // namespace simgrid::s4u

namespace simtrain {

// One message on its route.
struct MessageRoute {
  double latency_s = 0, bandwidth_Bps = 0;  // as the platform says: sum, and narrowest link
  bool local = false;
};

struct NetworkFactors {
  double latency = 1, bandwidth = 1;
};

// Messages so far, and their time on a network without contention.
struct MessageUse {
  std::int64_t messages = 0;
  double seconds = 0;
  double outside_s = 0;  // of messages whose size was not measured
};

// What no curve knows: iterations over a real network took, as the natural logarithm says, so much more or less than
// predicted (standard deviation; docs/validation.md, decisions/0009-replicas.md).
inline constexpr double kUnmodelledSpread = 0.04;

class CalibratedNetwork {
 public:
  // profile: its name, for errors. InputError when the section is empty.
  CalibratedNetwork(const std::string& profile, NetworkSection section);

  // After the platform has been loaded, before it runs (SimulatedNetwork::use makes the engine ask); `hosts` are those
  // of the ranks. InputError when all messages between them lack their place in the profile, or a route has no latency
  // that could be multiplied.
  void prepare(const simgrid::s4u::Engine& engine, const std::vector<simgrid::s4u::Host*>& hosts);

  // From now on every segment of every curve takes a factor more, the same for all its messages: log-normal, median 1,
  // spread as the curve's error (log_spread; docs/decisions/0009-replicas.md); and all messages take another one of
  // spread kUnmodelledSpread. `seed` decides.
  void disturb(std::uint64_t seed);

  // Asked once when a message begins to move: its latency, exchange surcharge included, and what the bandwidth of its
  // route is multiplied by. `flow_bytes` with SMPI's envelope.
  double latency_s(double flow_bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                   const std::vector<simgrid::s4u::Link*>& links);
  [[nodiscard]] double bandwidth_factor(double flow_bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                                        const std::vector<simgrid::s4u::Link*>& links) const;

  // Alone on its route; bytes as MPI counts them. InputError when the place was not measured.
  [[nodiscard]] double seconds(std::int64_t bytes, const MessageRoute& route) const;
  [[nodiscard]] NetworkFactors factors(std::int64_t bytes, const MessageRoute& route) const;
  // What one of two messages of this size costs more when they go in opposite directions at once; `same`: between two
  // whose latest exchange was with each other.
  [[nodiscard]] double exchange_surcharge_s(std::int64_t bytes, const MessageRoute& route, bool same) const;
  // What a message of this size costs more when its receiver sends as much to another one; 0 where not measured.
  // `same`: both had these partners before.
  [[nodiscard]] double shift_surcharge_s(std::int64_t bytes, const MessageRoute& route, bool same) const;

  [[nodiscard]] const MessageUse& use() const { return use_; }
  // "local messages up to 256 MiB, after computing, measured on …", for people.
  [[nodiscard]] std::string description() const;

 private:
  struct Flight {
    double start_s = 0, end_s = 0;
    std::int64_t bytes = 0;
    const simgrid::s4u::Host* peer = nullptr;  // of the host that it is noted for
    bool surcharged = false;
    // Of its time, the part that is still to come.
    [[nodiscard]] double to_come(double now_s) const {
      return end_s > now_s ? (end_s - now_s) / (end_s - start_s) : 0.0;
    }
  };
  struct PairHash {
    std::size_t operator()(const std::pair<const void*, const void*>& pair) const;
  };
  struct Scaled {  // a curve at one size on a route; latency_s >= 0
    double latency_s = 0, bandwidth_Bps = 1;
    [[nodiscard]] double seconds(std::int64_t bytes) const {
      return latency_s + static_cast<double>(bytes) / bandwidth_Bps;
    }
  };

  [[nodiscard]] const NetworkPlace& place(bool local) const;
  [[nodiscard]] Scaled on_route(const TimingCurve& curve, std::int64_t bytes, const MessageRoute& route) const;
  [[nodiscard]] bool is_local(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to) const;
  [[nodiscard]] MessageRoute describe(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                                      const std::vector<simgrid::s4u::Link*>& links) const;
  void check(const std::vector<simgrid::s4u::Host*>& hosts) const;
  [[nodiscard]] double surcharge_s(std::int64_t bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                                   const MessageRoute& route);
  // Notes an exchange of two; whether the latest one of both was with each other, or there was none.
  bool meet_again(const simgrid::s4u::Host* one, const simgrid::s4u::Host* other);

  std::string profile_;
  NetworkSection section_;
  std::unordered_map<const simgrid::s4u::Host*, std::string> node_of_;  // hosts with the property only
  // The latest message by (from, to): there are no more of them than pairs that talk.
  std::unordered_map<std::pair<const void*, const void*>, Flight, PairHash> flights_;
  // The latest message that a host sends, and that it receives; kept where shifts were measured.
  std::unordered_map<const simgrid::s4u::Host*, Flight> sent_, received_;
  std::unordered_map<const simgrid::s4u::Host*, const simgrid::s4u::Host*> partner_;  // of a host's latest exchange
  MessageUse use_;
};

}  // namespace simtrain
