#include "sim/platform/fabric_zone.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <utility>

#include "sim/compat.hpp"

namespace simtrain {

namespace {

namespace routing = simgrid::kernel::routing;
namespace s4u = simgrid::s4u;

using LinkImpl = simgrid::kernel::resource::StandardLinkImpl;

// SimGrid numbers the hosts of a zone in the order of their creation: a host's number is that of the topology. The zone
// belongs to the engine once it exists.
class FabricZone final : public routing::NetZoneImpl {
 public:
  FabricZone(const std::string& name, std::shared_ptr<const Topology> topology)
      : NetZoneImpl(name), topology_(std::move(topology)) {}

  void add_link(s4u::Link* link) { links_.push_back(link->get_impl()); }
  void add_loopback(s4u::Link* link) { loopbacks_.push_back(link->get_impl()); }

  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* route,
                       double* latency_s) override {
    if (latency_s != nullptr) *latency_s += kReportedLatency_s;
    if (from == to) {
      route->link_list_.push_back(loopbacks_[from->id()]);
      return;
    }
    scratch_.clear();
    topology_->route(static_cast<std::int32_t>(from->id()), static_cast<std::int32_t>(to->id()), scratch_);
    for (const std::int32_t link : scratch_) route->link_list_.push_back(links_[static_cast<std::size_t>(link)]);
  }

 private:
  std::shared_ptr<const Topology> topology_;
  std::vector<LinkImpl*> links_, loopbacks_;
  std::vector<std::int32_t> scratch_;
};

}  // namespace

Fabric add_fabric(s4u::Engine& engine, const std::shared_ptr<const Topology>& topology, const FabricFigures& figures,
                  const std::function<void(s4u::Host&)>& describe) {
  auto* fabric_zone = new FabricZone("fabric", topology);  // the engine deletes its zones
  s4u::NetZone* zone = compat::adopt_zone(engine, fabric_zone);
  Fabric fabric;
  for (std::int32_t number = 0; number < topology->hosts(); ++number) {
    const std::string text = std::to_string(number);
    s4u::Host* host = compat::add_host(zone, "host-" + text, figures.flops_per_s);
    host->set_core_count(figures.cores);
    describe(*host);
    fabric.hosts.push_back(host);
    // A flow gets all of it: copies between cores do not slow each other down as flows on a cable do.
    s4u::Link* loopback = compat::add_link(zone, "loopback-" + text, figures.loopback_bandwidth_Bps);
    loopback->set_latency(figures.loopback_latency_s)->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
    fabric_zone->add_loopback(loopback);
  }
  for (const LinkClass& its : topology->classes())
    for (std::int32_t number = its.first; number < its.first + its.count; ++number) {
      s4u::Link* link = compat::add_link(zone, "link-" + std::to_string(number), its.bandwidth_Bps);
      link->set_latency(its.latency_s);
      fabric_zone->add_link(link);
      fabric.links.push_back(link);
    }
  zone->seal();  // also seals the links; by hand, tracing of 3.32 goes wrong
  return fabric;
}

}  // namespace simtrain
