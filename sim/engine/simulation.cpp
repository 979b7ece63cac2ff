#include "sim/engine/simulation.hpp"

#include <malloc.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <exception>
#include <map>
#include <simgrid/Exception.hpp>
#include <unordered_map>

#include "base/error.hpp"
#include "base/units.hpp"
#include "sim/engine/compat.hpp"
#include "sim/engine/engine.hpp"
#include "sim/engine/footprint.hpp"
#include "sim/engine/network.hpp"
#include "sim/engine/network_model.hpp"
#include "sim/platform/topology.hpp"
#include "sim/platform/xml.hpp"

namespace simtrain {

namespace {

namespace s4u = simgrid::s4u;

constexpr const char* kJob = "job";  // SMPI's name for the ranks of MPI_COMM_WORLD

// A stack with a guard page takes two of the mappings of a process, of which Linux allows 65 530.
constexpr std::int64_t kMostGuardedStacks = 30'000;
constexpr int kStackKiB = 256;
constexpr int kRealPayloadStackKiB = 1024;  // BLAS runs on it

// Of the one Simulation; read by functions that are called without it.
bool payloads_are_real = false;
double speed_of_all = 0;  // flops per second of every rank, whatever others do; 0: it is not known

void lay_out_stacks(const SimulationOptions& options) {
  s4u::Engine::set_config("contexts/stack-size", options.real_payloads ? kRealPayloadStackKiB : kStackKiB);
  if (options.ranks * (options.progress_actors ? 2 : 1) <= kMostGuardedStacks) return;
  s4u::Engine::set_config("contexts/guard-size", 0);
  // SimGrid takes stacks without guards from calloc, which writes zeros over 256 KiB each unless they are mapped; and
  // glibc raises its threshold for mapping as it goes unless it is set.
  ::mallopt(M_MMAP_THRESHOLD, 128 * 1024);
}

std::string list_ranks(const std::vector<int>& ranks) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, ranks.size()); ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  return ranks.size() > most ? text + ", …" : text;
}

}  // namespace

struct Simulation::State {
  std::unique_ptr<s4u::Engine> engine;
  LoadedPlatform platform;
  std::unique_ptr<SimulatedNetwork> network;
  SimulationOptions options;
  s4u::BarrierPtr barrier;
  std::vector<char> finished;  // by rank
  std::exception_ptr error;    // what a body threw first
  std::string deadlock;        // empty: none
  bool has_run = false, counts = false;
  LiftedLimits lifted;

  void check_hosts(const std::vector<int>& host_of_rank) const;
  // What speed_of_all is to be when so many ranks are on each host.
  [[nodiscard]] double speed_without_contention(const std::vector<int>& host_of_rank) const;
  // `number`: in the job; body(rank).
  void be_actor(int number, int rank, const std::function<void(int)>& body);
  void start_actor(int number, int rank, int host, const std::function<void(int)>& body);
  void note_deadlock();
};

Simulation::Simulation(const std::string& platform, const SimulationOptions& options)
    : state_(std::make_unique<State>()) {
  static bool one_exists = false;
  SIMTRAIN_INVARIANT(!one_exists, "a process can hold one Simulation only");
  check_footprint(options.ranks * (options.progress_actors ? 2 : 1));
  one_exists = true;
  payloads_are_real = options.real_payloads;
  speed_of_all = 0;
  state_->options = options;
  state_->engine = start_engine();
  lay_out_stacks(options);
  SMPI_init();  // before any host: it attaches its own data to each
  state_->platform = load_platform(*state_->engine, platform);
  state_->network = std::make_unique<SimulatedNetwork>(*state_->engine, state_->platform);
  release_started_libraries();
}

// SimGrid takes a twentieth of a simulation's time to take itself apart; the end of the process does it at once.
Simulation::~Simulation() {
  [[maybe_unused]] static State* volatile ended = nullptr;  // so that leak checkers find it
  ended = state_.release();
}

const LoadedPlatform& Simulation::platform() const { return state_->platform; }

std::int64_t Simulation::links() const { return static_cast<std::int64_t>(state_->engine->get_link_count()); }

double Simulation::clock_s() const { return s4u::Engine::get_clock(); }

void Simulation::align() { state_->barrier->wait(); }

const std::vector<double>& Simulation::carried_bytes() const { return state_->network->carried_bytes(); }

void Simulation::count_from_now() {
  if (!state_->counts) state_->network->forget_carried();
  state_->counts = true;
}

void Simulation::count(int from, int to, double bytes) {
  const std::vector<s4u::Host*>& hosts = state_->platform.hosts;
  state_->network->count(hosts[static_cast<std::size_t>(from)], hosts[static_cast<std::size_t>(to)], bytes);
}

std::string Simulation::name_of_link(int link) const {
  const Topology* topology = state_->platform.topology.get();
  if (topology == nullptr) return state_->platform.links[static_cast<std::size_t>(link)]->get_name();
  const auto [from, to] = topology->ends(link);
  const bool between_switches = from >= topology->hosts() && to >= topology->hosts() && from != to;
  return topology->name_of(link) + (between_switches ? " to " + topology->place_of(to) : "");
}

void Simulation::scale_links(double bandwidth, double latency) {
  SIMTRAIN_INVARIANT(!state_->has_run && bandwidth > 0 && latency > 0, "links scaled too late, or to nothing");
  for (s4u::Link* link : state_->platform.links) {
    link->set_bandwidth(link->get_bandwidth() * bandwidth);
    link->set_latency(link->get_latency() * latency);
  }
}

void Simulation::degrade_link(int number, double factor) {
  SIMTRAIN_INVARIANT(!state_->has_run && factor > 0, std::to_string(factor));
  s4u::Link* link = state_->platform.links[static_cast<std::size_t>(number)];
  link->set_bandwidth(link->get_bandwidth() * factor);
}

void Simulation::lift(const LiftedLimits& lifted) {
  SIMTRAIN_INVARIANT(!state_->has_run && (lifted.contention || !lifted.bandwidth), "limits lifted too late, or alone");
  state_->lifted = lifted;
  state_->network->lift(lifted);
  for (s4u::Link* link : state_->engine->get_all_links()) {
    if (lifted.contention) link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
    if (lifted.bandwidth) link->set_bandwidth(link->get_bandwidth() * kWithoutEnd);
  }
}

void Simulation::State::check_hosts(const std::vector<int>& host_of_rank) const {
  const std::size_t hosts = platform.hosts.size();
  std::vector<int> taken(hosts, 0);
  for (const int host : host_of_rank) {
    SIMTRAIN_INVARIANT(host >= 0, std::to_string(host));
    const auto at = static_cast<std::size_t>(host);
    if (at >= hosts) {
      const int last = *std::max_element(host_of_rank.begin(), host_of_rank.end());
      throw InputError("platform '" + platform.name + "' has " + std::to_string(hosts) + " hosts; " +
                       std::to_string(host_of_rank.size()) + " processes placed on " + std::to_string(last + 1) +
                       " hosts do not fit");
    }
    if (taken[at]++ != 1) continue;  // look once, when the second rank comes
    std::vector<s4u::Link*> links;
    platform.hosts[at]->route_to(platform.hosts[at], links, nullptr);
    if (links.empty())
      throw InputError("platform '" + platform.name + "': host '" + platform.hosts[at]->get_name() +
                       "' has no loopback, so it can hold one process only; expected loopback_bw and loopback_lat");
  }
}

// Hosts of our own topologies are alike and keep their speed; those of other files may follow a trace.
double Simulation::State::speed_without_contention(const std::vector<int>& host_of_rank) const {
  if (platform.topology == nullptr || options.progress_actors) return 0;
  std::vector<int> ranks(platform.hosts.size(), 0);
  for (const int host : host_of_rank)
    if (++ranks[static_cast<std::size_t>(host)] > platform.hosts[static_cast<std::size_t>(host)]->get_core_count())
      return 0;
  return platform.hosts.front()->get_speed();
}

void Simulation::check_hosts(const std::vector<int>& host_of_rank) const { state_->check_hosts(host_of_rank); }

void Simulation::State::be_actor(int number, int rank, const std::function<void(int)>& body) {
  bool failed = false;
  try {
    MPI_Init(nullptr, nullptr);
    body(rank);
    MPI_Finalize();
    if (number == rank) finished[static_cast<std::size_t>(rank)] = 1;
  } catch (const simgrid::ForcefulKillException&) {
    throw;  // SimGrid's own, and an actor must not survive it
  } catch (...) {
    failed = true;
    if (!error) error = std::current_exception();
  }
  // Not in the handler: other ranks run meanwhile, on the same thread and so with the same C++ exception state.
  if (failed) s4u::Actor::kill_all();
}

void Simulation::State::start_actor(int number, int rank, int host, const std::function<void(int)>& body) {
  s4u::ActorPtr actor =
      compat::add_actor(platform.hosts[static_cast<std::size_t>(host)], "rank-" + std::to_string(number),
                        [this, number, rank, &body] { be_actor(number, rank, body); });
  actor->set_property("instance_id", kJob);
  actor->set_property("rank", std::to_string(number));
}

void Simulation::State::note_deadlock() {
  std::vector<int> waiting;
  for (std::size_t rank = 0; rank < finished.size(); ++rank)
    if (finished[rank] == 0) waiting.push_back(static_cast<int>(rank));
  deadlock = "the simulated job is deadlocked at " + format_seconds(s4u::Engine::get_clock()) + ": " +
             std::to_string(waiting.size()) + " of " + std::to_string(finished.size()) +
             " ranks wait for a message that never comes: " + list_ranks(waiting);
}

void Simulation::run(const std::vector<int>& host_of_rank, const std::function<void(int rank)>& body,
                     const std::function<void(int rank)>& beside) {
  State& state = *state_;
  SIMTRAIN_INVARIANT(!state.has_run, "a Simulation runs once");
  SIMTRAIN_INVARIANT(std::cmp_equal(host_of_rank.size(), state.options.ranks), std::to_string(host_of_rank.size()));
  state.check_hosts(host_of_rank);
  state.has_run = true;
  speed_of_all = state.speed_without_contention(host_of_rank);
  state.finished.assign(host_of_rank.size(), 0);
  const int ranks = static_cast<int>(host_of_rank.size());
  state.barrier = s4u::Barrier::create(static_cast<unsigned int>(ranks));
  // run() of the engine returns from a deadlock as if nothing had happened.
  s4u::Engine::on_deadlock_cb([&state] { state.note_deadlock(); });
  SIMTRAIN_INVARIANT((beside != nullptr) == state.options.progress_actors, "actors that nothing was said of");
  SMPI_app_instance_register(kJob, nullptr, beside ? 2 * ranks : ranks);
  for (int rank = 0; rank < ranks; ++rank)
    state.start_actor(rank, rank, host_of_rank[static_cast<std::size_t>(rank)], body);
  for (int rank = 0; beside && rank < ranks; ++rank)
    state.start_actor(ranks + rank, rank, host_of_rank[static_cast<std::size_t>(rank)], beside);
  state.engine->run();
  if (state.error) std::rethrow_exception(state.error);
  if (!state.deadlock.empty()) throw Failure(state.deadlock);
}

void Simulation::use_network(CalibratedNetwork& network, const std::vector<int>& host_of_rank) {
  state_->check_hosts(host_of_rank);
  std::vector<s4u::Host*> hosts;
  for (const int host : host_of_rank) hosts.push_back(state_->platform.hosts[static_cast<std::size_t>(host)]);
  network.prepare(*state_->engine, hosts);
  state_->network->use(network);
}

Simulation::Route Simulation::route(int from, int to) const {
  Route route;
  const std::vector<s4u::Host*>& hosts = state_->platform.hosts;
  hosts[static_cast<std::size_t>(from)]->route_to(hosts[static_cast<std::size_t>(to)], route.links, nullptr);
  for (const s4u::Link* link : route.links) {
    route.latency_s += link->get_latency();  // what SimGrid takes for a route's may be none (sim/engine/network.hpp)
    if (const double width = link->get_bandwidth(); route.narrowest_Bps == 0 || width < route.narrowest_Bps)
      route.narrowest_Bps = width;
  }
  if (state_->lifted.latency) route.latency_s = 0;
  return route;
}

// The messages of a job take the same few routes over and over, often one after the other.
RouteStatistics Simulation::routes(std::span<const std::pair<int, int>> host_pairs) const {
  struct Seen {
    double latency_s, narrowest_Bps;  // a pair's share of the mean
  };
  std::unordered_map<std::int64_t, Seen> seen;
  const auto share_of = [&](int from, int to) {
    const auto [entry, is_new] = seen.try_emplace(std::int64_t{from} << 32 | to);
    if (is_new) {
      const Route one = route(from, to);
      entry->second = {one.latency_s / static_cast<double>(host_pairs.size()), one.narrowest_Bps};
    }
    return &entry->second;
  };
  RouteStatistics statistics;
  std::pair last{-1, -1};
  const Seen* share = nullptr;
  for (const std::pair<int, int>& pair : host_pairs) {
    if (pair != last) share = share_of(pair.first, pair.second);
    last = pair;
    statistics.mean_latency_s += share->latency_s;
    if (const double width = share->narrowest_Bps;
        width > 0 && (statistics.narrowest_Bps == 0 || width < statistics.narrowest_Bps))
      statistics.narrowest_Bps = width;
  }
  return statistics;
}

std::vector<int> Simulation::node_of_rank(const std::vector<int>& host_of_rank) const {
  const std::vector<s4u::Host*>& hosts = state_->platform.hosts;
  std::vector<int> node_of_host(hosts.size());
  std::map<std::string, int> named;
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    const int number = static_cast<int>(host);
    const char* node = hosts[host]->get_property("node");
    node_of_host[host] = node != nullptr ? named.try_emplace(node, number).first->second : number;
  }
  std::vector<int> nodes;
  for (const int host : host_of_rank) {
    const auto at = static_cast<std::size_t>(host);
    nodes.push_back(at < node_of_host.size() ? node_of_host[at] : host);  // run() refuses it
  }
  return nodes;
}

int Simulation::cores_of(int host) const {
  return state_->platform.hosts[static_cast<std::size_t>(host)]->get_core_count();
}

int Simulation::most_ranks_at_once(const std::vector<int>& host_of_rank) const {
  const std::vector<int> nodes = node_of_rank(host_of_rank);
  std::map<int, std::map<int, int>> ranks;  // by node and host
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) ++ranks[nodes[rank]][host_of_rank[rank]];
  int most = 0;
  for (const auto& [node, hosts] : ranks) {
    int at_once = 0;
    for (const auto& [host, on_it] : hosts) at_once += std::min(on_it, cores_of(host));
    most = std::max(most, at_once);
  }
  return most;
}

void payloads_off(int rank) {
  if (!payloads_are_real) smpi_replay_init(kJob, rank, 0);
}

// Where nothing can slow a rank down, it sleeps: one switch to the simulator instead of three. Both ways last equally
// long, to the last bit; ranks that end together may go on in another order, which decides ties in SimGrid's solver.
void charge_compute(double seconds) {
  constexpr double kShortest_s = 1e-6;  // sleeps are at least as long as SimGrid's precision
  if (seconds <= 0) return;
  if (speed_of_all > 0 && seconds >= kShortest_s)
    return s4u::this_actor::sleep_for(seconds * speed_of_all / speed_of_all);
  // As smpi_execute_benched, without its reading a timer of this machine before and after.
  s4u::this_actor::execute(seconds * s4u::this_actor::get_host()->get_speed());
}

}  // namespace simtrain
