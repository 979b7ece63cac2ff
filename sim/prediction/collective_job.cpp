#include "sim/prediction/collective_job.hpp"

#include <mpi.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/units.hpp"
#include "calibrate/profile.hpp"
#include "kernels/modelled.hpp"
#include "report/json_value.hpp"
#include "report/page.hpp"
#include "report/passport_json.hpp"
#include "sim/engine/direct_messages.hpp"
#include "sim/engine/merged.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/prediction/machine.hpp"
#include "train/cost.hpp"

namespace simtrain {

namespace {

class FreeAdditions final : public CostModel {
 public:
  [[nodiscard]] Estimate estimate(const Call&) const override { return {}; }
};

// Hosts of up to 256 members and whom they send to in up to 64 rounds.
std::vector<std::pair<int, int>> sample_pairs(CollectiveOp operation, Algorithm algorithm, const Partition& blocks,
                                              const std::vector<int>& hosts) {
  std::vector<std::pair<int, int>> pairs;
  const int members = static_cast<int>(blocks.parts), rounds = round_count(algorithm, operation, members);
  for (int me = 0; me < members; me += std::max(1, members / 256))
    for (int i = 0; i < rounds; i += std::max(1, rounds / 64))
      if (const int to = round_of(algorithm, operation, blocks, me, i).send_to; to >= 0) pairs.emplace_back(me, to);
  if (pairs.empty() && members > 1) pairs.emplace_back(0, 1);
  for (auto& [from, to] : pairs) {
    from = hosts[static_cast<std::size_t>(from)];
    to = hosts[static_cast<std::size_t>(to)];
  }
  return pairs;
}

// All members start together, so that every round of a ring takes as long as its longest block.
double alpha_beta_s(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, AlphaBeta network,
                    const std::function<double(std::int64_t)>& addition_s) {
  if (algorithm != Algorithm::ring) {
    std::vector<double> clocks(static_cast<std::size_t>(blocks.parts), 0.0);
    advance_clocks(operation, algorithm, blocks, network, addition_s, clocks);
    return *std::max_element(clocks.begin(), clocks.end());
  }
  const std::int64_t longest = blocks.length(0);
  const int rounds = round_count(algorithm, operation, static_cast<int>(blocks.parts));
  const double round_s = network.latency_s + static_cast<double>(4 * longest) * network.seconds_per_byte;
  const double adding_s =
      operation == CollectiveOp::all_gather ? 0 : static_cast<double>(blocks.parts - 1) * addition_s(longest);
  return rounds * round_s + adding_s;
}

struct Outcome {  // of all members
  double begin_s = 0, end_s = 0, adding_s = 0;
  CollectiveTraffic traffic;
};

Outcome run_members(Simulation& simulation, const CollectiveJob& job, const std::vector<int>& hosts,
                    const SlowParts& slow, const Partition& blocks, PricedOperations& prices, MergedRounds* merging) {
  const Grid grid{job.processes, 1};
  const std::unique_ptr<DirectMessages> messages = DirectMessages::make(simulation, hosts);
  Outcome outcome;
  simulation.run(hosts, [&](int rank) {
    Collectives collectives(grid, grid.coordinates(rank), job.algorithm == Algorithm::mpi, kLargestMessageBytes,
                            merging);
    collectives.send_by(messages.get());
    payloads_off(rank);
    const double slower = slowness(slow, hosts[static_cast<std::size_t>(rank)]);
    ModelledKernels kernels(
        prices, [slower](double seconds) { charge_compute(seconds * slower); }, nullptr,
        [&] { return simulation.clock_s(); });
    const Buffer data = kernels.allocate(blocks.size());
    const Buffer scratch = kernels.allocate(scratch_floats(job.operation, job.algorithm, blocks, rank));
    simulation.align();
    outcome.begin_s = simulation.clock_s();
    const CollectiveTraffic mine = collectives.run(job.operation, job.algorithm, Collectives::Scope::grid_column, data,
                                                   blocks, scratch, kernels, 0);
    outcome.end_s = std::max(outcome.end_s, simulation.clock_s());
    outcome.adding_s += kernels.busy_s(0) / job.processes;
    outcome.traffic.bytes_sent += mine.bytes_sent;
    outcome.traffic.messages += mine.messages;
  });
  return outcome;
}

}  // namespace

double CollectiveFigures::algorithm_bandwidth_Bps() const {
  return seconds > 0 ? static_cast<double>(job.bytes) / seconds : 0;
}

double CollectiveFigures::bus_bandwidth_Bps() const {
  const double p = job.processes, share = (p - 1) / p;
  return algorithm_bandwidth_Bps() * (job.operation == CollectiveOp::all_reduce ? 2 * share : share);
}

CollectiveFigures simulate_collective(const CollectiveJob& asked) {
  CollectiveFigures figures;
  CollectiveJob& job = figures.job = asked;
  const Partition blocks{job.bytes / 4, job.processes};
  job.algorithm = resolve(job.algorithm, job.operation, job.processes, job.bytes);
  const bool ours = job.algorithm != Algorithm::mpi;
  const double messages =
      ours ? static_cast<double>(job.processes) * round_count(job.algorithm, job.operation, job.processes) : 0;
  job.detail = resolve(job.detail, messages, {.library_collectives = !ours});
  std::optional<Profile> profile;
  if (job.profile) profile = Profile::open(find_data_file("profile", "profiles", *job.profile, ".json").string());
  const FreeAdditions free_additions;
  PricedOperations prices(profile ? static_cast<const CostModel&>(*profile) : free_additions, 1);
  const auto addition_s = [&](std::int64_t floats) {
    return prices.price(ElementwiseOp{Elementwise::add, floats}).seconds;
  };
  (void)addition_s(1);  // a profile without it says so before a platform is loaded

  Simulation simulation(job.platform, {.ranks = job.processes});
  const Grid grid{job.processes, 1};
  const SlowParts slow = find_slow_parts(simulation, job.where.slow_parts);
  const HostSpace space = host_space(simulation, needs_nearness(job.where.placement));
  const std::vector<int> hosts = place(job.where.placement, grid, job.where.ranks_per_host, space);
  simulation.check_hosts(hosts);
  // The library's collectives have no schedule of ours; what `auto` would choose stands for them. The formula knows of
  // no slow parts.
  const Algorithm schedule =
      ours ? job.algorithm : resolve(Algorithm::automatic, job.operation, job.processes, job.bytes);
  const RouteStatistics routes = simulation.routes(sample_pairs(job.operation, schedule, blocks, hosts));
  for (const auto& [link, factor] : slow.links) simulation.degrade_link(link, factor);
  std::unique_ptr<MergedRounds> merging;
  if (job.detail == Detail::merged) merging = std::make_unique<MergedRounds>(simulation, hosts, grid);
  if (merging && asked.detail == Detail::automatic && !merging->known_to_be_near(is_uniform(simulation, slow, hosts)))
    merging.reset();
  job.detail = merging ? Detail::merged : Detail::messages;
  const Outcome outcome = run_members(simulation, job, hosts, slow, blocks, prices, merging.get());
  figures.platform_description = simulation.platform().description;
  figures.seconds = outcome.end_s - outcome.begin_s;
  figures.addition_s = outcome.adding_s;
  figures.messages = outcome.traffic.messages;
  figures.bytes_sent = outcome.traffic.bytes_sent;
  figures.latency_s = routes.mean_latency_s;
  figures.bandwidth_Bps = routes.narrowest_Bps;
  const AlphaBeta network{routes.mean_latency_s, routes.narrowest_Bps > 0 ? 1 / routes.narrowest_Bps : 0};
  figures.alpha_beta_s = alpha_beta_s(job.operation, schedule, blocks, network, addition_s);
  return figures;
}

std::string to_text(const CollectiveFigures& figures) {
  const CollectiveJob& job = figures.job;
  Page page;
  page.heading(std::string("simtrain ") + SIMTRAIN_VERSION + ": simulated " + std::string(name_of(job.operation)));
  page.fact("array", format_bytes(static_cast<double>(job.bytes)) + " on " + counted(job.processes, "rank"));
  page.fact("algorithm", std::string(name_of(job.algorithm)));
  page.fact("detail", std::string(name_of(job.detail)));
  page.fact("platform", job.platform + ": " + figures.platform_description);
  page.fact("placement",
            name_of(job.where.placement) +
                (job.where.ranks_per_host == 1 ? "" : ", " + counted(job.where.ranks_per_host, "rank") + " per host"));
  if (job.where.slow_parts.any()) page.fact("slow parts", job.where.slow_parts.description());
  page.fact("additions", job.profile ? "profile " + *job.profile : "free");
  page.heading("Prediction");
  page.fact("time", format_seconds(figures.seconds));
  page.fact("alpha-beta", format_seconds(figures.alpha_beta_s) + "  (ratio " +
                              format_ratio(figures.seconds, figures.alpha_beta_s) + "; alpha " +
                              format_seconds(figures.latency_s) + ", 1/beta " +
                              format_bandwidth(figures.bandwidth_Bps) + ")");
  page.fact("additions", format_seconds(figures.addition_s));
  page.fact("algorithm bw", format_bandwidth(figures.algorithm_bandwidth_Bps()));
  page.fact("bus bw", format_bandwidth(figures.bus_bandwidth_Bps()));
  if (job.algorithm == Algorithm::mpi)
    page.fact("sent", "not known: the messages are the library's own");
  else
    page.fact("sent", format_count(static_cast<double>(figures.messages)) + " messages, " +
                          format_bytes(static_cast<double>(figures.bytes_sent)) + " in all");
  return page.text();
}

std::string to_json(const CollectiveFigures& figures) {
  const CollectiveJob& job = figures.job;
  nlohmann::ordered_json value = {
      {"schema", "simtrain-collective"},
      {"schema_version", 2},
      {"version", SIMTRAIN_VERSION},
      {"operation", name_of(job.operation)},
      {"algorithm", name_of(job.algorithm)},
      {"detail", name_of(job.detail)},
      {"bytes", job.bytes},
      {"processes", job.processes},
      {"platform", job.platform},
      {"placement", name_of(job.where.placement)},
      {"ranks_per_host", job.where.ranks_per_host},
      {"slow_parts", job.where.slow_parts.any() ? nlohmann::ordered_json(job.where.slow_parts.description())
                                                : nlohmann::ordered_json(nullptr)},
      {"profile", job.profile ? nlohmann::ordered_json(*job.profile) : nlohmann::ordered_json(nullptr)},
      {"seconds", finite("seconds", figures.seconds)},
      {"alpha_beta_s", finite("alpha_beta_s", figures.alpha_beta_s)},
      {"latency_s", finite("latency_s", figures.latency_s)},
      {"bandwidth_Bps", finite("bandwidth_Bps", figures.bandwidth_Bps)},
      {"addition_s", finite("addition_s", figures.addition_s)},
      {"algorithm_bandwidth_Bps", finite("algorithm_bandwidth_Bps", figures.algorithm_bandwidth_Bps())},
      {"bus_bandwidth_Bps", finite("bus_bandwidth_Bps", figures.bus_bandwidth_Bps())},
      {"messages", figures.messages},
      {"bytes_sent", figures.bytes_sent}};
  add_passport(figures.passport, value);
  return json_text(value);
}

}  // namespace simtrain
