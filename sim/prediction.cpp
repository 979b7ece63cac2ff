#include "sim/prediction.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/units.hpp"
#include "calibrate/kernel_times.hpp"
#include "calibrate/profile.hpp"
#include "kernels/blas_kernels.hpp"
#include "kernels/modelled.hpp"
#include "sim/merged.hpp"
#include "sim/network_model.hpp"
#include "sim/simulation.hpp"
#include "train/cost.hpp"
#include "train/summary.hpp"
#include "train/trainer.hpp"

namespace simtrain {

namespace {

// Of a prediction's time: beyond it is no prediction, unless the user wants it.
constexpr double kMostExtrapolated = 0.5;

// The host, by its number on the platform, of each rank.
std::vector<int> place(Grid grid, Placement placement) {
  std::vector<int> hosts(static_cast<std::size_t>(grid.size()));
  for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
    const Coordinates at = grid.coordinates(rank);
    hosts[static_cast<std::size_t>(rank)] =
        placement == Placement::column_major ? rank : at.row * grid.columns + at.column;
  }
  return hosts;
}

// alpha and beta for the formulas: what the job's own messages meet on this platform.
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
  result.latency_source = options.formula_latency_s || options.formula_bandwidth_Bps
                              ? "given on the command line, else read off the platform"
                              : "mean route latency of the job's messages, narrowest link of their routes";
  return result;
}

// InputError when most of the messages' time is of sizes that were not measured.
void describe_network(const CalibratedNetwork& network, const PredictionOptions& options, PlatformResult& result) {
  result.network_model = "calibrated";
  result.network_source = network.description();
  const MessageUse& use = network.use();
  result.network_outside_share = use.seconds > 0 ? use.outside_s / use.seconds : 0;
  if (!options.extrapolate && result.network_outside_share > kMostExtrapolated)
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
    for (const auto& [exchange, collective] :
         {std::pair{Exchange::all_gather, &layer.all_gather}, std::pair{Exchange::reduce_data, &layer.reduce_data},
          std::pair{Exchange::reduce_weights, &layer.reduce_weights},
          std::pair{Exchange::redistribute, &layer.redistribute}}) {
      collective->alpha_beta_s = schedule.exchanges[row][exchange];
      collective->paper_s = paper[row][exchange];
    }
  }
}

// " --grid 32x8 --grid 1x256": for a command that measures what a plan needs.
std::string grid_options(const Plan& plan) {
  std::string text;
  for (const Grid grid : plan.grids()) text += " --grid " + to_string(grid);
  return text;
}

// Wrong input must not wait for a platform to load: every kernel of the plan is in the profile, and most of the time
// that rank 0 computes is within the shapes that were measured.
void check_profile(const Plan& plan, const Load& load, const Profile& profile, const PredictionOptions& options) {
  PricedOperations prices(profile.at(load), 1, profile.exceeded_by(load));
  double seconds = 0, extrapolated_s = 0;
  for (const Step& step : plan.steps) {
    const auto* compute = std::get_if<ComputeStep>(&step);
    const Operation other = std::holds_alternative<RedistributeStep>(step) ? Operation(CopyBlock{1, 1, 1, 1})
                                                                           : ElementwiseOp{Elementwise::add, 1};
    const OperationCost cost = prices.price(compute != nullptr ? plan.operation(*compute, {}) : other);
    if (compute == nullptr) continue;
    seconds += cost.seconds;
    extrapolated_s += cost.extrapolated_s;
  }
  if (!options.extrapolate && extrapolated_s > kMostExtrapolated * seconds)
    throw InputError(
        "profile '" + profile.path() + "': " + format_percent(extrapolated_s / seconds) +
        " of the compute time lies outside what was measured; expected at most " + format_percent(kMostExtrapolated) +
        ". Measure it (calibrate kernels --network " + plan.network.name + " --batch " +
        std::to_string(plan.options.batch) + grid_options(plan) +
        (load.processes > 1 ? " --loaded, on a node of " + std::to_string(load.processes) + " cores" : "") +
        "), or accept it with --extrapolate");
}

// Beyond any machine: what a phantom can stand for (kernels/modelled.cpp), with room to spare.
void check_size(const Plan& plan) {
  constexpr double kMostBytes = double(std::int64_t{1} << 43);
  if (const double bytes = memory_of(plan, {}).total(); bytes > kMostBytes)
    throw InputError("--batch " + std::to_string(plan.options.batch) + " of network '" + plan.network.name +
                     "' on grid " + to_string(plan.options.grid) + ": a rank would need " + format_bytes(bytes) +
                     "; expected at most " + format_bytes(kMostBytes));
}

}  // namespace

Profile load_profile(const PredictionOptions& options) {
  return Profile::read(find_data_file("profile", "profiles", options.profile, ".json").string());
}

Result predict(const Job& job, const PredictionOptions& options) {
  const Plan plan = make_plan(job.network, job.plan);
  if (options.real_numerics) check_trainable(plan);
  check_size(plan);
  const Detail detail = resolve(options.detail, messages_of(plan),
                                {.real_payloads = options.real_numerics,
                                 .library_collectives = plan.uses(Algorithm::mpi),
                                 .by_size = options.network_model == NetworkModel::calibrated});
  const Profile profile = load_profile(options);
  check_profile(plan, {job.threads, 1}, profile, options);
  std::optional<CalibratedNetwork> network;
  if (options.network_model == NetworkModel::calibrated) network.emplace(profile.path(), profile.network());
  use_blas_threads(1);
  const Grid grid = plan.options.grid;
  const std::vector<int> hosts = place(grid, options.placement);
  Simulation simulation(options.platform, {.ranks = grid.size(), .real_payloads = options.real_numerics});
  simulation.check_hosts(hosts);
  if (network) simulation.use_network(*network, hosts);
  const Load load{job.threads, simulation.most_ranks_per_node(hosts)};
  if (load.processes > 1) check_profile(plan, load, profile, options);
  PricedOperations prices(profile.at(load), options.compute_scale, profile.exceeded_by(load));
  std::optional<ReplicaNoise> noise;
  if (options.disturbance) noise.emplace(profile.at(load), profile.path(), *options.disturbance);
  const std::vector<int> nodes = simulation.node_of_rank(hosts);
  std::unique_ptr<MergedRounds> merging;
  if (detail == Detail::merged) merging = std::make_unique<MergedRounds>(simulation, hosts, plan.grids());
  if (merging && options.detail == Detail::automatic && !merging->known_to_be_near(!noise)) merging.reset();
  Summary summary(plan);
  PhaseLog phases(plan, job.iterations);
  TrainerOptions trainer_options = simtrain::trainer_options(job);
  trainer_options.phases = &phases;
  simulation.run(hosts, [&](int rank) {
    const Coordinates me = grid.coordinates(rank);
    Collectives collectives(plan.grids(), rank, plan.uses(Algorithm::mpi), kLargestMessageBytes, merging.get());
    if (!options.real_numerics) payloads_off(rank);
    std::unique_ptr<Kernels> numbers;
    if (options.real_numerics) numbers = std::make_unique<BlasKernels>([] { return 0.0; });
    ModelledKernels kernels(
        prices, charge_compute, std::move(numbers), [&] { return simulation.clock_s(); },
        noise ? noise->of_rank(rank, nodes[static_cast<std::size_t>(rank)]) : nullptr);
    Trainer trainer(plan, me, kernels, collectives, *job.training_data, trainer_options);
    simulation.align();  // making communicators took some ranks longer than others
    summary.add(trainer.run(job.warm_up, job.iterations));
  });

  Result result = summary.finish(&phases);
  result.kind = "simulated";
  describe(job, result.job);
  result.job.placement = name_of(options.placement);
  result.job.numerics = options.real_numerics ? "real" : "phantom";
  result.job.detail = name_of(merging ? Detail::merged : Detail::messages);
  result.platform = describe_platform(simulation, plan, hosts, options);
  if (network) describe_network(*network, options, *result.platform);
  result.profile = describe_profile(profile, load, options.compute_scale);
  result.memory.host = options.host_memory_bytes ? options.host_memory_bytes : simulation.platform().host_memory_bytes;
  add_formulas(plan, prices, *result.platform, result);
  return result;
}

}  // namespace simtrain
