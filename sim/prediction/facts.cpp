#include "sim/prediction/facts.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/units.hpp"
#include "report/sections.hpp"
#include "sim/engine/network_model.hpp"
#include "sim/prediction/checks.hpp"
#include "train/cost.hpp"

namespace simtrain {

PlatformResult describe_platform(const Simulation& simulation, const Plan& plan, const std::vector<int>& hosts,
                                 const PredictionOptions& options) {
  const LoadedPlatform& platform = simulation.platform();
  PlatformResult result;
  result.name = platform.name;
  result.description = platform.description;
  result.hosts = static_cast<std::int64_t>(platform.hosts.size());
  constexpr int kSampledRanks = 256;
  std::vector<std::pair<int, int>> pairs = sample_messages(plan, kSampledRanks);
  if (pairs.empty() && platform.hosts.size() > 1) pairs.emplace_back(0, 1);
  for (auto& [from, to] : pairs) {
    if (plan.options.grid.size() == 1) break;  // the pair names hosts already
    from = hosts[static_cast<std::size_t>(from)];
    to = hosts[static_cast<std::size_t>(to)];
  }
  const RouteStatistics routes = simulation.routes(pairs);
  result.latency_s = options.formula_latency_s.value_or(routes.mean_latency_s);
  result.bandwidth_Bps = options.formula_bandwidth_Bps.value_or(routes.narrowest_Bps);
  result.bandwidth_scale = options.bandwidth_scale;
  result.latency_scale = options.latency_scale;
  result.latency_source = options.formula_latency_s || options.formula_bandwidth_Bps
                              ? "given on the command line, else read off the platform"
                              : "mean route latency of the job's messages, narrowest link of their routes";
  return result;
}

void describe_network(const CalibratedNetwork& network, bool extrapolate, PlatformResult& result) {
  result.network_model = "calibrated";
  result.network_source = network.description();
  const MessageUse& use = network.use();
  result.network_outside_share = use.seconds > 0 ? use.outside_s / use.seconds : 0;
  if (!extrapolate && result.network_outside_share > kMostExtrapolated)
    throw InputError("--network-model calibrated: " + format_percent(result.network_outside_share) +
                     " of the messages' time is of sizes that were not measured; expected at most " +
                     format_percent(kMostExtrapolated) +
                     ". Measure larger ones (calibrate network --largest), or accept it with --extrapolate");
}

ProfileResult describe_profile(const Profile& profile, const Load& load, double compute_scale) {
  const Certificate& certificate = profile.certificate();
  const MachineIdentity here = this_machine();
  ProfileResult result;
  result.name = std::filesystem::path(profile.path()).filename().string();
  result.machine = certificate.machine;
  result.cpu = certificate.cpu;
  result.blas = certificate.blas + ", " + certificate.blas_core_type + " kernels";
  result.threads_per_rank = load.threads;
  result.processes_per_node = load.processes;
  result.date = certificate.date;
  result.command = certificate.command;
  result.this_machine = certificate.machine == here.machine && certificate.cpu == here.cpu;
  result.compute_scale = compute_scale;
  return result;
}

void add_formulas(const Plan& plan, PricedOperations& prices, const PlatformResult& platform, Result& result) {
  const AlphaBeta network{platform.latency_s, platform.bandwidth_Bps > 0 ? 1 / platform.bandwidth_Bps : 0};
  const AlphaBetaCost schedule = alpha_beta_cost(plan, prices, network);
  const std::vector<ExchangeSeconds> paper = paper_cost(plan, network);
  for (std::size_t row = 0; row < result.layers.size(); ++row) {
    LayerResult& layer = result.layers[row];
    layer.extrapolated_s = schedule.extrapolated_s[row];
    static_assert(kExchangesOfLayer.size() == kExchanges);
    for (std::size_t exchange = 0; exchange < kExchangesOfLayer.size(); ++exchange) {
      CollectiveResult& collective = layer.*kExchangesOfLayer[exchange];
      collective.alpha_beta_s = schedule.exchanges[row].by_exchange[exchange];
      collective.paper_s = paper[row].by_exchange[exchange];
    }
  }
}

void add_host_memory(const Plan& plan, const std::vector<int>& host_of_rank, MemoryResult& memory) {
  const std::set<int> used(host_of_rank.begin(), host_of_rank.end());
  if (used.size() == host_of_rank.size()) return;  // one rank on each
  std::map<int, std::pair<int, double>> hosts;     // ranks and bytes
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank) {
    auto& [ranks, bytes] = hosts[host_of_rank[rank]];
    ++ranks;
    bytes += memory_of(plan, plan.options.grid.coordinates(static_cast<int>(rank))).total();
  }
  std::pair<int, double> most{1, 0};
  for (const auto& [host, use] : hosts)
    if (use.second > most.second) most = use;
  memory.ranks_on_host = most.first;
  memory.on_host = most.first > 1 ? most.second : 0;
}

void check_host_memory(const Plan& plan, const std::vector<int>& host_of_rank,
                       const std::optional<double>& host_bytes) {
  const MemoryUse most = largest_memory_of(plan);
  MemoryResult memory{.weights = most.weights,
                      .gradients = most.gradients,
                      .momentum = most.momentum,
                      .activations = most.activations,
                      .buffers = most.buffers,
                      .host = host_bytes};
  add_host_memory(plan, host_of_rank, memory);
  if (fits_host(memory)) return;
  throw InputError("host memory: " + format_bytes(*host_bytes) + " does not hold the " +
                   format_bytes(memory.together()) + " of " +
                   (memory.ranks_on_host > 1 ? std::to_string(memory.ranks_on_host) + " ranks" : "a rank") +
                   " (--host-memory says another size)");
}

}  // namespace simtrain
