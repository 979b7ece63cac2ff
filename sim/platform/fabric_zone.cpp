#include "sim/platform/fabric_zone.hpp"

#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <utility>

#include "base/error.hpp"
#include "sim/engine/compat.hpp"

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
  // As many for each host, host by host.
  void add_inside(s4u::Link* link) { inside_.push_back(link->get_impl()); }

  void get_local_route(const routing::NetPoint* from, const routing::NetPoint* to, routing::Route* route,
                       double* latency_s) override {
    if (latency_s != nullptr) *latency_s += kReportedLatency_s;
    if (from == to) {
      const std::size_t each = inside_.size() / static_cast<std::size_t>(topology_->hosts());
      for (std::size_t i = 0; i < each; ++i) route->link_list_.push_back(inside_[from->id() * each + i]);
      return;
    }
    scratch_.clear();
    topology_->route(static_cast<std::int32_t>(from->id()), static_cast<std::int32_t>(to->id()), scratch_);
    for (const std::int32_t link : scratch_) route->link_list_.push_back(links_[static_cast<std::size_t>(link)]);
  }

 private:
  std::shared_ptr<const Topology> topology_;
  std::vector<LinkImpl*> links_, inside_;
  std::vector<std::int32_t> scratch_;
};

// A link that gives every flow all of its bandwidth, and one behind it that all share.
void add_inside(s4u::NetZone* zone, FabricZone& fabric_zone, const std::string& number, const FabricHosts& figures) {
  if (!figures.inside) return;
  s4u::Link* each = compat::add_link(zone, "inside-" + number, figures.inside->bandwidth_Bps);
  each->set_latency(figures.inside->latency_s)->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
  fabric_zone.add_inside(each);
  if (!figures.inside_total_Bps) return;
  fabric_zone.add_inside(compat::add_link(zone, "inside-total-" + number, *figures.inside_total_Bps));
}

}  // namespace

Fabric add_fabric(s4u::Engine& engine, const std::shared_ptr<const Topology>& topology, const FabricHosts& hosts) {
  SIMTRAIN_INVARIANT(hosts.names.empty() || std::cmp_equal(hosts.names.size(), topology->hosts()),
                     std::to_string(hosts.names.size()));
  auto* fabric_zone = new FabricZone("fabric", topology);  // the engine deletes its zones
  s4u::NetZone* zone = compat::adopt_zone(engine, fabric_zone);
  Fabric fabric;
  for (std::int32_t number = 0; number < topology->hosts(); ++number) {
    const std::string text = std::to_string(number);
    s4u::Host* host = compat::add_host(
        zone, hosts.names.empty() ? "host-" + text : hosts.names[static_cast<std::size_t>(number)], hosts.flops_per_s);
    host->set_core_count(hosts.cores);
    host->set_properties(hosts.properties);
    fabric.hosts.push_back(host);
    add_inside(zone, *fabric_zone, text, hosts);
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
