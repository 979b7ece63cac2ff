// What SimGrid asks when a message begins to move: its latency and bandwidth. And what every link carried.
//
// A platform made of a topology of ours reports one latency for all routes (sim/platform/fabric_zone.hpp); a message's
// own is told here. Routes of XML platforms report theirs, and SimGrid shares links in inverse proportion to them.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/engine/lifted_limits.hpp"
#include "sim/platform/platform.hpp"

namespace simtrain {

class CalibratedNetwork;  // sim/engine/network_model.hpp

class SimulatedNetwork {
 public:
  // Once per engine, whose platform has been loaded, before it runs. Both must outlive the simulation.
  SimulatedNetwork(simgrid::s4u::Engine& engine, const LoadedPlatform& platform);
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  // From now on messages take what the model says, which must outlive the simulation.
  void use(CalibratedNetwork& model) { model_ = &model; }

  // From now on messages have no latency, and what the model says of their bandwidth does not count, where these are
  // lifted. Links are what they are (Simulation::lift).
  void lift(const LiftedLimits& lifted) { lifted_ = lifted; }

  // Bytes that each link has carried, SMPI's envelopes included, by the platform's numbers of links.
  [[nodiscard]] const std::vector<double>& carried_bytes() const { return carried_bytes_; }
  // Forgets what links have carried.
  void forget_carried();
  // As if so many bytes more, or fewer when negative, had gone from one host to another: what was not simulated message
  // by message.
  void count(const simgrid::s4u::Host* from, const simgrid::s4u::Host* to, double bytes);

 private:
  double latency_factor(double bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                        const std::vector<simgrid::s4u::Link*>& links);
  double bandwidth_factor(double bytes, const simgrid::s4u::Host* from, const simgrid::s4u::Host* to,
                          const std::vector<simgrid::s4u::Link*>& links) const;
  static void add_bytes(double bytes, const std::vector<simgrid::s4u::Link*>& links);

  bool one_latency_reported_;
  CalibratedNetwork* model_ = nullptr;
  LiftedLimits lifted_;
  std::vector<double> carried_bytes_;  // each link has its element as user data, which is faster than to look it up
};

}  // namespace simtrain
