#include "sim/engine/network.hpp"

#include <algorithm>
#include <limits>
#include <simgrid/s4u.hpp>

#include "sim/engine/compat.hpp"
#include "sim/engine/network_model.hpp"
#include "sim/platform/fabric_zone.hpp"

namespace simtrain {

namespace s4u = simgrid::s4u;

SimulatedNetwork::SimulatedNetwork(s4u::Engine& engine, const LoadedPlatform& platform)
    : one_latency_reported_(platform.topology != nullptr), carried_bytes_(platform.links.size()) {
  for (std::size_t number = 0; number < platform.links.size(); ++number)
    platform.links[number]->set_data(&carried_bytes_[number]);
  compat::set_network_factors(
      engine,
      [this](double bytes, const s4u::Host* from, const s4u::Host* to, const std::vector<s4u::Link*>& links) {
        return latency_factor(bytes, from, to, links);
      },
      [this](double bytes, const s4u::Host* from, const s4u::Host* to, const std::vector<s4u::Link*>& links) {
        return bandwidth_factor(bytes, from, to, links);
      });
}

double SimulatedNetwork::latency_factor(double bytes, const s4u::Host* from, const s4u::Host* to,
                                        const std::vector<s4u::Link*>& links) {
  add_bytes(bytes, links);
  double latency_s = 0;
  if (model_ == nullptr && !one_latency_reported_) return lifted_.latency ? 0 : 1;
  for (const s4u::Link* link : links) latency_s += link->get_latency();
  const double reported_s = one_latency_reported_ ? kReportedLatency_s : latency_s;
  if (model_ != nullptr) latency_s = model_->latency_s(bytes, from, to, links);
  if (lifted_.latency) return 0;
  return reported_s > 0 ? latency_s / reported_s : 1;
}

double SimulatedNetwork::bandwidth_factor(double bytes, const s4u::Host* from, const s4u::Host* to,
                                          const std::vector<s4u::Link*>& links) const {
  return model_ == nullptr || lifted_.bandwidth ? 1 : model_->bandwidth_factor(bytes, from, to, links);
}

void SimulatedNetwork::add_bytes(double bytes, const std::vector<s4u::Link*>& links) {
  for (const s4u::Link* link : links)
    if (auto* carried = link->get_data<double>(); carried != nullptr) *carried += bytes;  // loopbacks have none
}

void SimulatedNetwork::forget_carried() { std::fill(carried_bytes_.begin(), carried_bytes_.end(), 0.0); }

void SimulatedNetwork::count(const s4u::Host* from, const s4u::Host* to, double bytes) {
  std::vector<s4u::Link*> links;
  from->route_to(to, links, nullptr);
  add_bytes(bytes, links);
}

}  // namespace simtrain
