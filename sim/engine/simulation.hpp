// A simulated MPI job: SimGrid's engine, a platform, and ranks that are actors calling SMPI.
//
//   Simulation simulation("torus:8x8x4", {.ranks = 256});
//   simulation.run(host_of_rank, [&](int rank) {
//     Collectives collectives(...);                // communicators need real payloads
//     payloads_off(rank);                          // from here on messages have sizes only
//     simulation.align();
//     charge_compute(1e-3);
//     MPI_Sendrecv(...);
//   });
//
// One Simulation per process, ever, and one run(): SimGrid and SMPI keep their state in globals. All ranks share one
// thread and one address space; nothing may be static or thread_local in what they execute.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/lifted_limits.hpp"
#include "sim/platform/platform.hpp"

namespace simtrain {

// SMPI adds an envelope (tag, destination, communicator) to each message: n bytes alone on their route take
// latency + (n + 16) / bandwidth.
inline constexpr int kEnvelopeBytes = 16;

class CalibratedNetwork;  // sim/engine/network_model.hpp

struct SimulationOptions {
  std::int64_t ranks = 1;      // decides how stacks are laid out; run() must start as many
  bool real_payloads = false;  // messages carry their bytes to the end: payloads_off() does nothing, stacks are larger
  bool progress_actors = false;  // run() gets a body for them
};

struct RouteStatistics {
  double mean_latency_s = 0;  // over the pairs; 0 when there are none
  double narrowest_Bps = 0;   // narrowest link of any route; 0 when there are none
};

class Simulation {
 public:
  // InputError for a platform that cannot be loaded (sim/platform/platform.hpp).
  Simulation(const std::string& platform, const SimulationOptions& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Links without loopbacks, those of a file in the natural order of their names.
  [[nodiscard]] const LoadedPlatform& platform() const;

  // The InputErrors of run(), before it.
  void check_hosts(const std::vector<int>& host_of_rank) const;

  // Starts rank r on host host_of_rank[r], by its number on the platform, and simulates until all ranks have ended.
  // body(rank) runs between MPI_Init and MPI_Finalize, which are called here.
  // Throws what a body threw first, after ending the other ranks (their stacks unwind; a destructor that runs then must
  // not communicate); Failure that names the ranks that wait, when none can go on; InputError when the platform has
  // fewer hosts than host_of_rank asks for, or no loopback for hosts with several ranks.
  // `beside`, with progress_actors: what a second actor of each rank does, on the same host; its number in the job is
  // rank + ranks (sim/engine/progress.hpp).
  void run(const std::vector<int>& host_of_rank, const std::function<void(int rank)>& body,
           const std::function<void(int rank)>& beside = {});

  // Before run(): messages take what the model says, which must outlive this object. InputError when the model cannot
  // serve ranks on these hosts (sim/engine/network_model.hpp).
  void use_network(CalibratedNetwork& network, const std::vector<int>& host_of_rank);

  // Called by every rank, no second actor: returns when all have called, which takes no simulated time but waiting.
  void align();

  [[nodiscard]] double clock_s() const;  // simulated seconds since the start

  // Bytes that each link has carried since count_from_now(), by its number; envelopes included.
  [[nodiscard]] const std::vector<double>& carried_bytes() const;
  // For ranks, right after align(): the first call forgets what was carried before, the others do nothing.
  void count_from_now();
  // So many bytes more between two hosts, or fewer when negative.
  void count(int from, int to, double bytes);

  [[nodiscard]] std::int64_t links() const;  // of SimGrid's, loopbacks included
  // Names by place: "x+ of (3,0,1)", "leaf up of leaf 2 to core 1"; those of a file as it has them.
  [[nodiscard]] std::string name_of_link(int link) const;
  // Before run(): multiplies bandwidth and latency of all links but loopbacks by factors above 0.
  void scale_links(double bandwidth, double latency);
  // Before run(): multiplies a link's bandwidth by a factor above 0.
  void degrade_link(int link, double factor);

  // Before run(), after everything else that changes the network: what it is imagined without. Where they are lifted,
  // routes have no latency, and links kWithoutEnd times their bandwidth.
  void lift(const LiftedLimits& lifted);

  // The node that each rank is on: a host, or the hosts with the same property "node". By the number of its first host
  // on the platform, so that it does not depend on the job; a host that does not exist stands for itself.
  [[nodiscard]] std::vector<int> node_of_rank(const std::vector<int>& host_of_rank) const;
  // The most ranks that compute at once on a node: all that are on it, or as many as its hosts have cores.
  [[nodiscard]] int most_ranks_at_once(const std::vector<int>& host_of_rank) const;
  [[nodiscard]] int cores_of(int host) const;

  // (from, to) by host numbers; latency is the sum over a route's links.
  struct Route {
    std::vector<simgrid::s4u::Link*> links;
    double latency_s = 0, narrowest_Bps = 0;
  };
  [[nodiscard]] Route route(int from, int to) const;
  [[nodiscard]] RouteStatistics routes(std::span<const std::pair<int, int>> host_pairs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// For a rank's body. From here on this rank's messages are not copied and its reductions not computed; simulated times
// are the same. Buffers must still be non-null and, in MPI_Sendrecv, differ. Every rank calls it, after its last
// communicator has been made. Does nothing in a Simulation with real payloads.
void payloads_off(int rank);

// For a rank's body: `seconds` of computing pass, on a core of its host. Ranks of one host slow each other down only
// when they are more than its cores.
void charge_compute(double seconds);

}  // namespace simtrain
