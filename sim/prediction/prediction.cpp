#include "sim/prediction/prediction.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "calibrate/kernel_times.hpp"
#include "kernels/blas_kernels.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/direct_messages.hpp"
#include "sim/engine/merged.hpp"
#include "sim/engine/network_model.hpp"
#include "sim/engine/progress.hpp"
#include "sim/engine/simulation.hpp"
#include "sim/prediction/checks.hpp"
#include "sim/prediction/facts.hpp"
#include "sim/prediction/machine.hpp"
#include "sim/prediction/what_if.hpp"
#include "train/summary.hpp"
#include "train/trainer.hpp"

namespace simtrain {

namespace {

std::unique_ptr<MergedRounds> choose_merging(Detail detail, const PredictionOptions& options, bool uniform,
                                             Simulation& simulation, const std::vector<int>& hosts,
                                             const std::vector<Grid>& grids) {
  if (detail != Detail::merged) return nullptr;
  auto merging = std::make_unique<MergedRounds>(simulation, hosts, grids);
  if (options.detail == Detail::automatic && !merging->known_to_be_near(uniform)) merging.reset();
  return merging;
}

// Messages without SMPI where it makes no difference but in cost: a calibrated network asks which message came first.
std::unique_ptr<DirectMessages> choose_messages(const Plan& plan, const PredictionOptions& options,
                                                const Simulation& simulation, const std::vector<int>& hosts) {
  if (options.real_numerics || options.network_model == NetworkModel::calibrated || plan.options.overlap.any())
    return nullptr;
  return DirectMessages::make(simulation, hosts);
}

void check_overlap(const Plan& plan) {
  if (plan.options.overlap.any() && plan.uses(Algorithm::mpi))
    throw InputError("--overlap: '" + std::string(name_of(plan.options.overlap.overlap)) +
                     "' cannot be simulated with --collectives mpi: non-blocking collectives of SMPI send all data to "
                     "all ranks at once, which no library does; expected another algorithm, or --overlap none");
}

// In this process.
Result simulate(const Job& job, const PredictionOptions& options) {
  const Plan plan = checked_plan(job, options);
  const Detail detail = detail_of(plan, options);
  const std::shared_ptr<const Profile> known = load_profile(options);
  const Profile& profile = *known;
  check_profile(plan, {job.threads, 1}, profile, options.extrapolate);
  std::optional<CalibratedNetwork> network;
  if (options.network_model == NetworkModel::calibrated) network.emplace(profile.path(), profile.network());
  if (network && options.disturbance) network->disturb(options.disturbance->seed_of(Disturbance::Purpose::network));
  if (options.real_numerics) use_blas_threads(1);
  const Grid grid = plan.options.grid;
  ProgressLanes lanes(plan);
  const SimulationOptions of_simulation{
      .ranks = grid.size(), .real_payloads = options.real_numerics, .progress_actors = lanes.needed()};
  Simulation simulation(options.platform, of_simulation);
  simulation.scale_links(options.bandwidth_scale, options.latency_scale);
  const SlowParts slow = find_slow_parts(simulation, options.slow_parts);
  HostSpace space = host_space(simulation, needs_nearness(options.placement));
  if (options.leave_out_slow_hosts) leave_out(slow, space);
  const std::vector<int> hosts = place(options.placement, grid, options.ranks_per_host, space);
  simulation.check_hosts(hosts);
  const std::optional<double> host_bytes =
      options.host_memory_bytes ? options.host_memory_bytes : simulation.platform().host_memory_bytes;
  if (options.within_host_memory) check_host_memory(plan, hosts, host_bytes);
  if (network) simulation.use_network(*network, hosts);
  const Load load{job.threads, simulation.most_ranks_at_once(hosts)};
  if (load.processes > 1) check_profile(plan, load, profile, options.extrapolate);
  PricedOperations prices(profile.at(load), options.compute_scale, profile.exceeded_by(load));
  std::optional<ReplicaNoise> noise;
  if (options.disturbance) noise.emplace(profile.at(load), profile.path(), *options.disturbance);
  const std::vector<int> nodes = simulation.node_of_rank(hosts);
  const PlatformResult platform = describe_platform(simulation, plan, hosts, options);
  for (const auto& [link, factor] : slow.links) simulation.degrade_link(link, factor);
  if (options.lifted.any()) simulation.lift(options.lifted);
  const std::unique_ptr<MergedRounds> merging =
      choose_merging(detail, options, !noise && is_uniform(simulation, slow, hosts), simulation, hosts, plan.grids());
  const std::unique_ptr<DirectMessages> messages = choose_messages(plan, options, simulation, hosts);
  Summary summary(plan);
  PhaseLog phases(plan, job.iterations);
  TrainerOptions trainer_options = simtrain::trainer_options(job);
  trainer_options.phases = &phases;
  std::optional<TraceRecorder> recorder;
  if (options.timeline) recorder.emplace(plan, *options.timeline, job.iterations, [&] { return simulation.clock_s(); });
  const auto train = [&](int rank) {
    const Coordinates me = grid.coordinates(rank);
    Collectives collectives(plan.grids(), rank, plan.uses(Algorithm::mpi), kLargestMessageBytes, merging.get());
    collectives.send_by(messages.get());
    if (!options.real_numerics) payloads_off(rank);
    std::unique_ptr<Kernels> numbers;
    if (options.real_numerics) numbers = std::make_unique<BlasKernels>([] { return 0.0; });
    const double slower = slowness(slow, hosts[static_cast<std::size_t>(rank)]);
    ModelledKernels kernels(
        prices, [slower](double seconds) { charge_compute(seconds * slower); }, std::move(numbers),
        [&] { return simulation.clock_s(); },
        noise ? noise->of_rank(rank, nodes[static_cast<std::size_t>(rank)]) : nullptr);
    trainer_options.background = lanes.join(rank, kernels, slower);  // copied before another rank runs
    trainer_options.trace = recorder ? recorder->of_rank(rank) : nullptr;
    Trainer trainer(plan, me, kernels, collectives, *job.training_data, trainer_options);
    simulation.align();  // making communicators took some ranks longer than others
    simulation.count_from_now();
    summary.add(trainer.run(job.warm_up, job.iterations));
    lanes.leave(rank);
  };
  simulation.run(hosts, train, lanes.servers(recorder ? &*recorder : nullptr));

  Result result = summary.finish(&phases);
  result.kind = "simulated";
  describe(job, result.job);
  result.job.placement = name_of(options.placement);
  result.job.numerics = options.real_numerics ? "real" : "phantom";
  result.job.detail = name_of(merging ? Detail::merged : Detail::messages);
  result.job.ranks_per_host = options.ranks_per_host;
  result.platform = platform;
  if (network) describe_network(*network, options.extrapolate, *result.platform);
  result.profile = describe_profile(profile, load, options.compute_scale);
  result.memory.host = host_bytes;
  add_host_memory(plan, hosts, result.memory);
  add_formulas(plan, prices, *result.platform, result);
  if (recorder) result.timeline = recorder->finish();
  if (merging) merging->count_rings();
  if (!simulation.platform().links.empty())
    result.links = describe_links(simulation, job.warm_up + job.iterations, result.iteration_s);
  if (options.slow_parts.any()) {
    leave_out(slow, space);
    result.slow_parts = describe_slow_parts(simulation, options.slow_parts, slow, hosts);
    result.slow_parts->healthy_slots = slot_count(options.placement, options.ranks_per_host, space);
  }
  return result;
}

}  // namespace

std::shared_ptr<const Profile> load_profile(const PredictionOptions& options) {
  if (options.profile_at_hand != nullptr) return options.profile_at_hand;
  return std::make_shared<const Profile>(
      Profile::open(find_data_file("profile", "profiles", options.profile, ".json").string()));
}

Detail detail_of(const Plan& plan, const PredictionOptions& options) {
  const MessagesNeeded needed{.real_payloads = options.real_numerics,
                              .library_collectives = plan.uses(Algorithm::mpi),
                              .by_size = options.network_model == NetworkModel::calibrated,
                              .overlap = plan.options.overlap.any()};
  const bool every = needed.real_payloads || needed.library_collectives || needed.by_size || needed.overlap;
  if (options.merge_if_possible && every) return Detail::messages;
  return resolve(options.detail, messages_of(plan), needed);
}

Plan checked_plan(const Job& job, const PredictionOptions& options) {
  Plan plan = make_plan(job.network, job.plan);
  if (options.real_numerics) check_trainable(plan);
  check_overlap(plan);
  check_size(plan);
  return plan;
}

Result predict(const Job& job, const PredictionOptions& asked) {
  PredictionOptions options = asked;
  std::vector<PlacementTrial> trials;
  if (asked.placement.kind == Placement::Kind::automatic) {
    trials = try_placements(job, options);
    options.placement = fastest_of(trials);
  }
  const bool costs = options.slow_parts.any() && options.costs_of_slow_parts;
  Result result = costs            ? predict_with_costs(job, options)
                  : options.bounds ? predict_in_child(job, options)
                                   : simulate(job, options);
  if (options.bounds) result.bounds = simulate_bounds(job, options, result);
  result.placement_trials = std::move(trials);
  return result;
}

}  // namespace simtrain
