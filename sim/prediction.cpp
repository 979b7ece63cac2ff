#include "sim/prediction.hpp"

#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/profile.hpp"
#include "kernels/blas_kernels.hpp"
#include "kernels/modelled.hpp"
#include "sim/merged.hpp"
#include "sim/simulation.hpp"
#include "train/cost.hpp"
#include "train/summary.hpp"
#include "train/trainer.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

const std::vector<std::pair<std::string, Placement>> kPlacements{{"column-major", Placement::column_major},
                                                                 {"row-major", Placement::row_major}};

template <typename Value>
Value choose(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  throw InputError(unknown_choice(option, text, names));
}

std::string name_of(Placement placement) { return kPlacements[placement == Placement::row_major ? 1 : 0].first; }

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

ProfileResult describe_profile(const Profile& profile, double compute_scale) {
  const Certificate& certificate = profile.certificate();
  const MachineIdentity here = this_machine();
  ProfileResult result;
  result.name = std::filesystem::path(profile.path()).filename().string();
  result.machine = certificate.machine;
  result.cpu = certificate.cpu;
  result.blas = certificate.blas + ", " + certificate.blas_core_type + " kernels";
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
          std::pair{Exchange::reduce_weights, &layer.reduce_weights}}) {
      collective->alpha_beta_s = schedule.exchanges[row][exchange];
      collective->paper_s = paper[row][exchange];
    }
  }
}

// Wrong input must not wait for a platform to load: every kernel of the plan is in the profile, and most of the time
// that rank 0 computes is within the shapes that were measured.
void check_profile(const Plan& plan, PricedOperations& prices, const Profile& profile, bool extrapolate) {
  constexpr double kMost = 0.5;
  double seconds = 0, extrapolated_s = 0;
  for (const Step& step : plan.steps) {
    const auto* compute = std::get_if<ComputeStep>(&step);
    const OperationCost cost =
        prices.price(compute != nullptr ? plan.operation(*compute, {}) : ElementwiseOp{Elementwise::add, 1});
    if (compute == nullptr) continue;
    seconds += cost.seconds;
    extrapolated_s += cost.extrapolated_s;
  }
  if (!extrapolate && extrapolated_s > kMost * seconds)
    throw InputError("profile '" + profile.path() + "': " + format_percent(extrapolated_s / seconds) +
                     " of the compute time lies outside the shapes that were measured; expected at most " +
                     format_percent(kMost) + ". Measure them (calibrate kernels --network " + plan.network.name +
                     " --batch " + std::to_string(plan.options.batch) + " --grid " + to_string(plan.options.grid) +
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

po::options_description prediction_options() {
  po::options_description options("The simulated cluster");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("platform", word("FILE|SPEC"),
                        "SimGrid XML (torus.xml, fat-tree.xml, ethernet.xml or your own), or one word:\n"
                        "torus:16x16x16,bandwidth=6GBps,latency=1us")(
      "profile", word("NAME|FILE")->default_value("epyc-zen5-openblas-0.3.21-haswell"),
      "measured kernel times of a node (calibrate kernels)")(
      "placement", word("HOW")->default_value("column-major"),
      "column-major: the Pr ranks of a grid column on neighbouring hosts; row-major: the Pc ranks of a row")(
      "detail", word("HOW")->default_value("auto"),
      "messages: simulate every message; merged: rounds of a collective that repeat the same traffic as one flow; "
      "auto: messages up to 300 000 of them an iteration, and where flows share links unequally")(
      "numerics", word("WHICH")->default_value("phantom"),
      "phantom: times only; real: also compute and send real numbers")(
      "compute-scale", word("X")->default_value("1"), "2: nodes that compute twice as fast as the profile's")(
      "extrapolate", "predict even if more than half of the compute time lies outside the profile's measured range")(
      "host-memory", word("SIZE"), "memory of a host, such as 64GiB (default: the platform's)")(
      "formula-latency", word("TIME"), "alpha for the formulas (default: read off the platform)")(
      "formula-bandwidth", word("RATE"), "1/beta for the formulas (default: read off the platform)");
  return options;
}

PredictionOptions prediction_from(const po::variables_map& values) {
  if (!given(values, "platform"))
    throw InputError("--platform: is missing; expected a platform file or specification, such as --platform torus.xml");
  PredictionOptions options;
  options.platform = text_of(values, "platform");
  options.profile = text_of(values, "profile");
  options.placement = choose("--placement", text_of(values, "placement"), kPlacements);
  options.detail = parse_detail("--detail", text_of(values, "detail"));
  options.real_numerics = choose<bool>("--numerics", text_of(values, "numerics"), {{"phantom", false}, {"real", true}});
  options.compute_scale = parse_positive("--compute-scale", text_of(values, "compute-scale"));
  if (options.compute_scale < 1e-6 || options.compute_scale > 1e6)
    throw InputError("--compute-scale: '" + text_of(values, "compute-scale") +
                     "' is not valid; expected a factor from 0.000001 to 1000000");
  options.extrapolate = given(values, "extrapolate");
  if (given(values, "host-memory"))
    options.host_memory_bytes = static_cast<double>(parse_bytes("--host-memory", text_of(values, "host-memory")));
  if (given(values, "formula-latency"))
    options.formula_latency_s = parse_seconds("--formula-latency", text_of(values, "formula-latency"));
  if (given(values, "formula-bandwidth"))
    options.formula_bandwidth_Bps = parse_bandwidth_Bps("--formula-bandwidth", text_of(values, "formula-bandwidth"));
  return options;
}

Profile load_profile(const PredictionOptions& options) {
  return Profile::read(find_data_file("profile", "profiles", options.profile, ".json").string());
}

Result predict(const Job& job, const PredictionOptions& options) {
  const Plan plan = make_plan(job.network, job.plan);
  if (options.real_numerics) check_trainable(plan);
  check_size(plan);
  const Detail detail = resolve(options.detail, messages_of(plan), options.real_numerics, plan.uses(Algorithm::mpi));
  const Profile profile = load_profile(options);
  PricedOperations prices(profile, options.compute_scale);
  check_profile(plan, prices, profile, options.extrapolate);
  use_one_blas_thread();
  const Grid grid = plan.options.grid;
  const std::vector<int> hosts = place(grid, options.placement);
  Simulation simulation(options.platform, {.ranks = grid.size(), .real_payloads = options.real_numerics});
  simulation.check_hosts(hosts);
  std::unique_ptr<MergedRounds> merging;
  if (detail == Detail::merged) merging = std::make_unique<MergedRounds>(simulation, hosts, grid);
  if (merging && options.detail == Detail::automatic && !merging->regular()) merging.reset();
  Summary summary(plan);
  PhaseLog phases(plan, job.iterations);
  TrainerOptions trainer_options = simtrain::trainer_options(job);
  trainer_options.phases = &phases;
  simulation.run(hosts, [&](int rank) {
    const Coordinates me = grid.coordinates(rank);
    Collectives collectives(grid, me, plan.uses(Algorithm::mpi), kLargestMessageBytes, merging.get());
    if (!options.real_numerics) payloads_off(rank);
    std::unique_ptr<Kernels> numbers;
    if (options.real_numerics) numbers = std::make_unique<BlasKernels>([] { return 0.0; });
    ModelledKernels kernels(prices, charge_compute, std::move(numbers), [&] { return simulation.clock_s(); });
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
  result.profile = describe_profile(profile, options.compute_scale);
  result.memory.host = options.host_memory_bytes ? options.host_memory_bytes : simulation.platform().host_memory_bytes;
  add_formulas(plan, prices, *result.platform, result);
  return result;
}

}  // namespace simtrain
