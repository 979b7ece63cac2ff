// What SimGrid 3.32 (Debian 12) and 4.x (Debian 13) spell differently. No other source of ours asks for
// SimGrid's version.
//
// A platform is one zone here. In 3.32 the first zone is the root; in 4.x a root zone always exists and the platform is
// its child.
#pragma once

#include <cstdint>
#include <functional>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>
// clang-format off: in 3.32 it cannot stand first, where sorting would put it
#include <simgrid/version.h>
// clang-format on
#if SIMGRID_VERSION < 40000
#include <simgrid/kernel/resource/NetworkModelIntf.hpp>
#include <simgrid/simix.hpp>
#else
#include <simgrid/simcall.hpp>
#endif

namespace simtrain::compat {

namespace s4u = simgrid::s4u;

inline s4u::Host* add_host(s4u::NetZone* zone, const std::string& name, double flops_per_s) {
#if SIMGRID_VERSION >= 40000
  return zone->add_host(name, flops_per_s);
#else
  return zone->create_host(name, flops_per_s);
#endif
}

inline s4u::Link* add_link(s4u::NetZone* zone, const std::string& name, double bandwidth_Bps) {
#if SIMGRID_VERSION >= 40000
  return zone->add_link(name, bandwidth_Bps);
#else
  return zone->create_link(name, bandwidth_Bps);
#endif
}

// Makes a zone that was just constructed the platform.
inline s4u::NetZone* adopt_zone([[maybe_unused]] s4u::Engine& engine, simgrid::kernel::routing::NetZoneImpl* zone) {
#if SIMGRID_VERSION >= 40000
  zone->set_parent(engine.get_netzone_root()->get_impl());
#endif
  return zone->get_iface();
}

// What every message's latency and bandwidth are multiplied by, from its size with the envelope, its ends and its
// links. SimGrid asks once for each, when the message begins to move.
using NetworkFactor =
    std::function<double(double bytes, const s4u::Host* from, const s4u::Host* to, const std::vector<s4u::Link*>&)>;

inline void set_network_factors(s4u::Engine& engine, const NetworkFactor& latency, const NetworkFactor& bandwidth) {
  const auto adapted = [](const NetworkFactor& factor) {
    return [factor](double bytes, const s4u::Host* from, const s4u::Host* to, const std::vector<s4u::Link*>& links,
                    const std::unordered_set<s4u::NetZone*>&) { return factor(bytes, from, to, links); };
  };
#if SIMGRID_VERSION >= 40000
  engine.get_netzone_root()->set_latency_factor_cb(adapted(latency));
  engine.get_netzone_root()->set_bandwidth_factor_cb(adapted(bandwidth));
#else
  simgrid::kernel::resource::NetworkModelIntf* model = engine.get_netzone_root()->get_network_model();
  model->set_lat_factor_cb(adapted(latency));
  model->set_bw_factor_cb(adapted(bandwidth));
#endif
}

// Flows from host to host that nobody waits for; a listener is told of their ends. Who starts them keeps them
// (sim/engine/kept_flows.cpp). Not on 4.x, where the same could be done and has not been tried.
#if SIMGRID_VERSION < 40000
inline constexpr bool kHasFlows = true;

// In the simulator (simcall_answered). What comes back must be kept until the simulator runs actors again after the end
// of the flow.
inline s4u::CommPtr start_flow(s4u::Host* from, s4u::Host* to, std::uint64_t bytes) {
  s4u::CommPtr flow = s4u::Comm::sendto_init();
  flow->set_payload_size(bytes);
  flow->set_source(from);
  flow->set_destination(to);  // which starts it
  return flow;
}

// Calls ended(flow->get_impl()), in the simulator, for every flow that has arrived and for every message of SMPI.
inline void on_end_of_flows(const std::function<void(const void* flow)>& ended) {
  using simgrid::kernel::resource::Action;
  s4u::Link::on_communication_state_change_cb([ended](simgrid::kernel::resource::NetworkAction& flow, Action::State) {
    // A NetworkAction is an Action first of all; its own header is not among those installed.
    const auto& action = reinterpret_cast<const Action&>(flow);
    if (action.get_state() == Action::State::FINISHED) ended(action.get_activity());
  });
}
#else
inline constexpr bool kHasFlows = false;
inline s4u::CommPtr start_flow(s4u::Host*, s4u::Host*, std::uint64_t) { return nullptr; }
inline void on_end_of_flows(const std::function<void(const void* flow)>&) {}
#endif

inline s4u::ActorPtr add_actor(s4u::Host* host, const std::string& name, std::function<void()> body) {
#if SIMGRID_VERSION >= 40100
  return host->add_actor(name, std::move(body));
#elif SIMGRID_VERSION >= 40000
  return s4u::Engine::get_instance()->add_actor(name, host, std::move(body));
#else
  return s4u::Actor::create(name, host, std::move(body));
#endif
}

}  // namespace simtrain::compat
