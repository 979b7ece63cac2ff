// What SimGrid 3.32 (Debian 12) and 4.x (Debian 13) spell differently. No other file of ours asks for SimGrid's
// version.
//
// A platform is one zone here. In 3.32 it is the root, made by a free function; in 4.x a root zone always exists and
// the platform is its child.
#pragma once

#include <functional>
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

inline s4u::SplitDuplexLink* add_full_duplex_link(s4u::NetZone* zone, const std::string& name, double bandwidth_Bps) {
#if SIMGRID_VERSION >= 40000
  return zone->add_split_duplex_link(name, bandwidth_Bps);
#else
  return zone->create_split_duplex_link(name, bandwidth_Bps);
#endif
}

inline s4u::NetZone* add_star_zone([[maybe_unused]] s4u::Engine& engine, const std::string& name) {
#if SIMGRID_VERSION >= 40000
  return engine.get_netzone_root()->add_netzone_star(name);
#else
  return s4u::create_star_zone(name);
#endif
}

// In a star zone: `links` lead from the host to the centre, and back from there in reverse.
inline void add_spoke(s4u::NetZone* zone, s4u::Host* host, const std::vector<s4u::LinkInRoute>& links) {
#if SIMGRID_VERSION >= 40000
  zone->add_route(host, static_cast<const s4u::Host*>(nullptr), links, true);
#else
  zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, links, true);
#endif
}

// In a star zone: the way from a host to itself.
inline void add_loopback(s4u::NetZone* zone, s4u::Host* host, s4u::Link* link) {
  const std::vector<s4u::LinkInRoute> links{s4u::LinkInRoute(link)};
#if SIMGRID_VERSION >= 40000
  zone->add_route(host, host, links, true);
#else
  zone->add_route(host->get_netpoint(), host->get_netpoint(), nullptr, nullptr, links, true);
#endif
}

// What a cluster zone asks for each of its hosts, in the order of their numbers.
struct HostFactory {
  std::function<s4u::Host*(s4u::NetZone*, unsigned long number)> host;
  std::function<s4u::Link*(s4u::NetZone*, unsigned long number)> loopback;
};

struct LinkFigures {  // of one direction of one link
  double bandwidth_Bps = 0, latency_s = 0;
};

#if SIMGRID_VERSION >= 40000
inline s4u::NetZone* set_factory(s4u::NetZone* zone, const HostFactory& factory) {
  zone->set_host_cb([factory](s4u::NetZone* in, const std::vector<unsigned long>&, unsigned long number) {
    return factory.host(in, number);
  });
  zone->set_loopback_cb([factory](s4u::NetZone* in, const std::vector<unsigned long>&, unsigned long number) {
    return factory.loopback(in, number);
  });
  return zone;
}
#else
inline s4u::ClusterCallbacks callbacks(const HostFactory& factory) {
  return {[factory](s4u::NetZone* in, const std::vector<unsigned long>&, unsigned long number)
              -> std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*> {
            return {factory.host(in, number)->get_netpoint(), nullptr};
          },
          [factory](s4u::NetZone* in, const std::vector<unsigned long>&, unsigned long number) {
            return factory.loopback(in, number);
          },
          {}};
}
#endif

inline s4u::NetZone* add_torus_zone([[maybe_unused]] s4u::Engine& engine, const std::string& name,
                                    const std::vector<unsigned long>& dimensions, LinkFigures link,
                                    const HostFactory& factory) {
  const auto full_duplex = s4u::Link::SharingPolicy::SPLITDUPLEX;
#if SIMGRID_VERSION >= 40000
  return set_factory(
      engine.get_netzone_root()->add_netzone_torus(name, dimensions, link.bandwidth_Bps, link.latency_s, full_duplex),
      factory);
#else
  return s4u::create_torus_zone(name, nullptr, dimensions, callbacks(factory), link.bandwidth_Bps, link.latency_s,
                                full_duplex);
#endif
}

// down, up, cables: per level from the leaves, as in SimGrid's documentation of fat trees.
struct FatTreeShape {
  std::vector<unsigned int> down, up, cables;
};

inline s4u::NetZone* add_fat_tree_zone([[maybe_unused]] s4u::Engine& engine, const std::string& name,
                                       const FatTreeShape& shape, LinkFigures link, const HostFactory& factory) {
  const auto full_duplex = s4u::Link::SharingPolicy::SPLITDUPLEX;
  const auto levels = static_cast<unsigned int>(shape.down.size());
#if SIMGRID_VERSION >= 40000
  return set_factory(engine.get_netzone_root()->add_netzone_fatTree(name, levels, shape.down, shape.up, shape.cables,
                                                                    link.bandwidth_Bps, link.latency_s, full_duplex),
                     factory);
#else
  return s4u::create_fatTree_zone(name, nullptr, {levels, shape.down, shape.up, shape.cables}, callbacks(factory),
                                  link.bandwidth_Bps, link.latency_s, full_duplex);
#endif
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
