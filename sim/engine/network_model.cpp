#include "sim/engine/network_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <simgrid/s4u.hpp>
#include <unordered_set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "calibrate/fit.hpp"
#include "sim/engine/simulation.hpp"

namespace simtrain {
namespace {

namespace s4u = simgrid::s4u;

std::int64_t payload_of(double flow_bytes) {
  return std::max<std::int64_t>(0, std::llround(flow_bytes) - kEnvelopeBytes);
}

std::string describe_place(const char* name, const NetworkPlace& place) {
  return std::string(name) + " messages up to " +
         format_bytes(static_cast<double>(place.one_way().segments.back().to)) +
         (place.loaded()            ? ", all processes at once"
          : place.after_computing() ? ", after computing"
                                    : ", idle") +
         ", measured on " + place.certificate.machine + ", " + place.certificate.mpi + ", " + place.certificate.date;
}

}  // namespace

std::size_t CalibratedNetwork::PairHash::operator()(const std::pair<const void*, const void*>& pair) const {
  const std::hash<const void*> hash;
  return hash(pair.first) * 31 + hash(pair.second);
}

CalibratedNetwork::CalibratedNetwork(const std::string& profile, NetworkSection section)
    : profile_(profile), section_(std::move(section)) {
  if (section_.empty())
    throw InputError(
        "profile '" + profile_ +
        "': has no network section, which --network-model calibrated needs; expected one from 'mpirun -n 2 "
        "calibrate network --add-to PROFILE'");
}

const NetworkPlace& CalibratedNetwork::place(bool local) const {
  const std::optional<NetworkPlace>& found = local ? section_.local : section_.remote;
  if (!found)
    throw InputError("profile '" + profile_ + "': its network section has no " +
                     (local ? "local messages, and ranks share a node; expected them measured: mpirun -n 2 calibrate "
                              "network --add-to PROFILE"
                            : "remote messages, and ranks are on several nodes; expected them measured: mpirun -n 2 "
                              "--host A,B calibrate network --add-to PROFILE"));
  return *found;
}

// A negative latency says how the bandwidth falls with the size: what is left is no latency, and less bandwidth.
CalibratedNetwork::Scaled CalibratedNetwork::on_route(const TimingCurve& curve, std::int64_t bytes,
                                                      const MessageRoute& route) const {
  const CurveSegment& segment = curve.segment(bytes);
  Scaled scaled{segment.latency_s, segment.bandwidth_Bps};
  if (scaled.latency_s < 0) scaled = {0, static_cast<double>(bytes) / segment.seconds(bytes)};
  if (route.local) return scaled;
  const NetworkPlace& remote = place(false);
  return {scaled.latency_s * route.latency_s / remote.latency_s,
          scaled.bandwidth_Bps * route.bandwidth_Bps / remote.bandwidth_Bps};
}

void CalibratedNetwork::disturb(std::uint64_t seed) {
  constexpr std::uint64_t kOfAll = 1000;  // a stream that no curve has
  const double of_all = kUnmodelledSpread * random_normal(seed, kOfAll, 0);
  for (std::optional<NetworkPlace>* place : {&section_.local, &section_.remote}) {
    if (!*place) continue;
    for (auto& [timing, curve] : (*place)->curves)
      for (std::size_t i = 0; i < curve.segments.size(); ++i) {
        const auto stream = 2 * static_cast<std::uint64_t>(timing) + (place == &section_.local ? 0 : 1);
        const double factor = std::exp(of_all + log_spread(curve.error) * random_normal(seed, stream, i));
        curve.segments[i].latency_s *= factor;
        curve.segments[i].bandwidth_Bps /= factor;
      }
  }
}

double CalibratedNetwork::seconds(std::int64_t bytes, const MessageRoute& route) const {
  return on_route(place(route.local).one_way(), bytes, route).seconds(bytes);
}

NetworkFactors CalibratedNetwork::factors(std::int64_t bytes, const MessageRoute& route) const {
  Scaled scaled = on_route(place(route.local).one_way(), bytes, route);
  // The flow is longer than the message, by SMPI's envelope, and takes as long: by less latency, or else more
  // bandwidth.
  const double envelope_s = kEnvelopeBytes / scaled.bandwidth_Bps;
  if (scaled.latency_s >= envelope_s)
    scaled.latency_s -= envelope_s;
  else
    scaled = {0, static_cast<double>(bytes + kEnvelopeBytes) / scaled.seconds(bytes)};
  return {scaled.latency_s / route.latency_s, scaled.bandwidth_Bps / route.bandwidth_Bps};
}

double CalibratedNetwork::exchange_surcharge_s(std::int64_t bytes, const MessageRoute& route, bool same) const {
  const NetworkPlace& measured = place(route.local);
  const Scaled scaled = on_route(same ? measured.exchange_with_same() : measured.exchange(), bytes, route);
  return std::max(0.0, scaled.seconds(bytes) - seconds(bytes, route));
}

double CalibratedNetwork::shift_surcharge_s(std::int64_t bytes, const MessageRoute& route, bool same) const {
  const NetworkPlace& measured = place(route.local);
  const TimingCurve* curve = same ? measured.shift() : measured.rotation();
  if (curve == nullptr) return 0;
  return std::max(0.0, on_route(*curve, bytes, route).seconds(bytes) - seconds(bytes, route));
}

bool CalibratedNetwork::is_local(const s4u::Host* from, const s4u::Host* to) const {
  if (from == to) return true;
  if (node_of_.empty()) return false;
  const auto a = node_of_.find(from), b = node_of_.find(to);
  return a != node_of_.end() && b != node_of_.end() && a->second == b->second;
}

MessageRoute CalibratedNetwork::describe(const s4u::Host* from, const s4u::Host* to,
                                         const std::vector<s4u::Link*>& links) const {
  MessageRoute route{0, std::numeric_limits<double>::infinity(), is_local(from, to)};
  for (const s4u::Link* link : links) {
    route.latency_s += link->get_latency();
    route.bandwidth_Bps = std::min(route.bandwidth_Bps, link->get_bandwidth());
  }
  return route;
}

bool CalibratedNetwork::meet_again(const s4u::Host* one, const s4u::Host* other) {
  const auto [of_one, one_is_new] = partner_.try_emplace(one, other);
  const auto [of_other, other_is_new] = partner_.try_emplace(other, one);
  const bool again = of_one->second == other && of_other->second == one;
  of_one->second = other;
  of_other->second = one;
  return again;
}

double CalibratedNetwork::surcharge_s(std::int64_t bytes, const s4u::Host* from, const s4u::Host* to,
                                      const MessageRoute& route) {
  const double now_s = s4u::Engine::get_clock();
  if (const auto opposite = flights_.find({to, from}); opposite != flights_.end())
    if (const double to_come = opposite->second.to_come(now_s); to_come > 0)
      return to_come * exchange_surcharge_s(std::min(bytes, opposite->second.bytes), route, meet_again(from, to));
  const auto sent = sent_.find(from), received = received_.find(to);
  const bool same_ring = (sent == sent_.end() || sent->second.peer == to) &&
                         (received == received_.end() || received->second.peer == from);
  double most_s = 0;
  const auto meet = [&](const Flight& other) {
    if (const double to_come = other.to_come(now_s); to_come > 0)
      most_s = std::max(most_s, to_come * shift_surcharge_s(std::min(bytes, other.bytes), route, same_ring));
  };
  if (const auto other = sent_.find(to); other != sent_.end() && other->second.peer != from) meet(other->second);
  if (const auto other = received_.find(from);
      other != received_.end() && other->second.peer != to && !other->second.surcharged)
    meet(other->second);
  return most_s;
}

double CalibratedNetwork::latency_s(double flow_bytes, const s4u::Host* from, const s4u::Host* to,
                                    const std::vector<s4u::Link*>& links) {
  const std::int64_t bytes = payload_of(flow_bytes);
  const MessageRoute route = describe(from, to, links);
  const double now_s = s4u::Engine::get_clock(), alone_s = seconds(bytes, route);
  const double more_s = surcharge_s(bytes, from, to, route);
  const Flight flight{now_s, now_s + alone_s + more_s, bytes, to, more_s > 0};
  flights_[{from, to}] = flight;
  const NetworkPlace& measured = place(route.local);
  if (measured.shift() != nullptr) {
    sent_[from] = flight;
    received_[to] = flight;
    received_[to].peer = from;
  }
  ++use_.messages;
  use_.seconds += alone_s + more_s;
  if (!measured.one_way().covers(bytes) || !measured.exchange().covers(bytes)) use_.outside_s += alone_s + more_s;
  return factors(bytes, route).latency * route.latency_s + more_s;
}

double CalibratedNetwork::bandwidth_factor(double flow_bytes, const s4u::Host* from, const s4u::Host* to,
                                           const std::vector<s4u::Link*>& links) const {
  return factors(payload_of(flow_bytes), describe(from, to, links)).bandwidth;
}

// Which pairs of ranks talk is not known before the run. Routes are looked at from the first rank to every other one,
// and between neighbours.
void CalibratedNetwork::check(const std::vector<s4u::Host*>& hosts) const {
  std::unordered_set<std::string> nodes;
  for (const s4u::Host* host : hosts) {
    const auto node = node_of_.find(host);
    nodes.insert(node == node_of_.end() ? "host " + host->get_name() : "node " + node->second);
  }
  if (nodes.size() < hosts.size()) (void)place(true);
  if (nodes.size() > 1) (void)place(false);
  for (std::size_t i = 1; i < hosts.size(); ++i)
    for (const auto& [from, to] : {std::pair{hosts[0], hosts[i]}, std::pair{hosts[i - 1], hosts[i]}}) {
      std::vector<s4u::Link*> links;
      from->route_to(to, links, nullptr);
      if (!(describe(from, to, links).latency_s > 0))
        throw InputError("platform: the route from host '" + from->get_name() + "' to host '" + to->get_name() +
                         "' has no latency, which --network-model calibrated multiplies; expected one above 0 s");
    }
}

void CalibratedNetwork::prepare(const s4u::Engine& engine, const std::vector<s4u::Host*>& hosts) {
  for (const s4u::Host* host : engine.get_all_hosts())
    if (const char* node = host->get_property("node"); node != nullptr) node_of_.emplace(host, node);
  check(hosts);
}

std::string CalibratedNetwork::description() const {
  std::string text;
  if (section_.local) text += describe_place("local", *section_.local);
  if (section_.remote) text += (text.empty() ? "" : "; ") + describe_place("remote", *section_.remote);
  return text;
}

}  // namespace simtrain
