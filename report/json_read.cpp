// Reading results: every key must be there and no other. What can be derived (totals) must agree with what it is
// derived from: a file that was edited by hand fails here rather than misleading a comparison.
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/json.hpp"
#include "report/json.hpp"
#include "report/machine_json.hpp"
#include "report/passport_json.hpp"
#include "report/strategy_json.hpp"
#include "report/timeline_json.hpp"

namespace simtrain {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr std::int64_t kMostRanks = std::int64_t{1} << 31;

double amount(JsonObject& from, std::string_view key) { return from.number(key, 0, kLargest); }

int small_count(JsonObject& from, std::string_view key) {
  return static_cast<int>(from.integer(key, 1, std::numeric_limits<int>::max()));
}

Spread read_spread(JsonObject from) {
  const Spread spread{.min = amount(from, "min"), .mean = amount(from, "mean"), .max = amount(from, "max")};
  from.finish();
  return spread;
}

CollectiveResult read_collective(JsonObject from) {
  CollectiveResult collective;
  collective.algorithm = from.text("algorithm");
  collective.group_size = small_count(from, "group_size");
  collective.seconds = read_spread(from.object("seconds"));
  collective.reduction_s = amount(from, "reduction_s");
  collective.bytes_sent = read_spread(from.object("bytes_sent"));
  collective.messages = amount(from, "messages");
  collective.alpha_beta_s = amount(from, "alpha_beta_s");
  collective.paper_s = amount(from, "paper_s");
  if (from.has("exposed_s")) collective.exposed_s = amount(from, "exposed_s");
  from.finish();
  return collective;
}

PhaseResult read_phase(JsonObject from) {
  PhaseResult phase;
  phase.seconds = read_spread(from.object("seconds"));
  phase.p5_s = amount(from, "p5_s");
  phase.median_s = amount(from, "median_s");
  phase.p95_s = amount(from, "p95_s");
  phase.begin_s = read_spread(from.object("begin_s"));
  phase.end_s = read_spread(from.object("end_s"));
  from.finish();
  return phase;
}

// Empty when there is none at all.
std::vector<std::optional<PhaseResult>> read_phases(JsonObject from) {
  std::vector<std::optional<PhaseResult>> phases;
  bool any = false;
  for (std::size_t i = 0; i < kPhaseKeys.size(); ++i) {
    const char* key = kPhaseKeys[i];
    phases.emplace_back();
    if (is_rare(static_cast<Phase>(i)) && !from.has(key)) continue;
    if (from.any(key).is_null()) continue;
    phases.back() = read_phase(from.object(key));
    any = true;
  }
  from.finish();
  if (!any) phases.clear();
  return phases;
}

LayerResult read_layer(JsonObject from) {
  LayerResult layer;
  layer.name = from.text("name");
  layer.kind = from.text("kind");
  layer.forward_s = read_spread(from.object("forward_s"));
  layer.backward_s = read_spread(from.object("backward_s"));
  layer.update_s = read_spread(from.object("update_s"));
  layer.extrapolated_s = amount(from, "extrapolated_s");
  layer.all_gather = read_collective(from.object("all_gather"));
  layer.reduce_data = read_collective(from.object("reduce_data"));
  layer.reduce_weights = read_collective(from.object("reduce_weights"));
  if (from.has("redistribute")) layer.redistribute = read_collective(from.object("redistribute"));
  if (from.has("halo")) layer.halo = read_collective(from.object("halo"));
  if (from.has("reduce_output")) layer.reduce_output = read_collective(from.object("reduce_output"));
  if (from.has("strips")) layer.strips = small_count(from, "strips");
  if (from.has("grid_rows")) layer.grid = {small_count(from, "grid_rows"), small_count(from, "grid_columns")};
  layer.phases = read_phases(from.object("phases"));
  from.finish();
  return layer;
}

std::uint64_t read_seed(JsonObject& from) {
  const nlohmann::json& value = from.any("seed");
  if (!value.is_number_unsigned()) from.refuse("seed", "expected a whole number of at least 0, found " + value.dump());
  return value.get<std::uint64_t>();
}

JobResult read_job(JsonObject from) {
  JobResult job;
  job.network = from.text("network");
  job.strategy = from.text("strategy");
  job.collectives = from.text("collectives");
  job.gather = from.text("gather");
  job.placement = from.text("placement");
  job.ranks_per_host = small_count(from, "ranks_per_host");
  job.numerics = from.text("numerics");
  job.detail = from.text("detail");
  job.grid_rows = small_count(from, "grid_rows");
  job.grid_columns = small_count(from, "grid_columns");
  job.batch = from.integer("batch", 1);
  job.iterations = from.integer("iterations", 1);
  job.warm_up = from.integer("warm_up", 0);
  job.epoch_images = from.integer("epoch_images", 0);
  job.seed = read_seed(from);
  job.learning_rate = amount(from, "learning_rate");
  job.momentum = amount(from, "momentum");
  job.weight_decay = amount(from, "weight_decay");
  job.learning_rate_schedule = from.text("learning_rate_schedule");
  job.dropout = from.boolean("dropout");
  job.data = from.text("data");
  job.shuffled = from.boolean("shuffled");
  if (from.has("overlap")) {
    job.overlap = from.text("overlap");
    job.progress = from.text("progress");
    job.bucket_bytes = from.integer("bucket_bytes", 1);
  }
  from.finish();
  return job;
}

PlatformResult read_platform(JsonObject from) {
  PlatformResult platform;
  platform.name = from.text("name");
  platform.description = from.text("description");
  platform.hosts = from.integer("hosts", 1, kMostRanks);
  platform.latency_s = amount(from, "latency_s");
  platform.bandwidth_Bps = amount(from, "bandwidth_Bps");
  platform.bandwidth_scale = from.number("bandwidth_scale", 0, kLargest);
  platform.latency_scale = from.number("latency_scale", 0, kLargest);
  platform.latency_source = from.text("latency_source");
  platform.network_model = from.text("network_model");
  platform.network_source = from.text("network_source");
  platform.network_outside_share = from.number("network_outside_share", 0, 1);
  from.finish();
  return platform;
}

ProfileResult read_profile(JsonObject from) {
  ProfileResult profile;
  profile.name = from.text("name");
  profile.machine = from.text("machine");
  profile.cpu = from.text("cpu");
  profile.blas = from.text("blas");
  profile.threads_per_rank = small_count(from, "threads_per_rank");
  profile.processes_per_node = small_count(from, "processes_per_node");
  profile.date = from.text("date");
  profile.command = from.text("command");
  profile.this_machine = from.boolean("this_machine");
  profile.compute_scale = from.number("compute_scale", std::numeric_limits<double>::min(), kLargest);
  from.finish();
  return profile;
}

NativeResult read_native(JsonObject from) {
  NativeResult native;
  native.machine = from.text("machine");
  native.cpu = from.text("cpu");
  native.mpi = from.text("mpi");
  native.blas = from.text("blas");
  native.threads_per_rank = small_count(from, "threads_per_rank");
  native.cores = small_count(from, "cores");
  native.hosts = small_count(from, "hosts");
  native.binding = from.text("binding");
  from.finish();
  return native;
}

// Refuses a number that does not follow from the others (beyond rounding).
void check_derived(JsonObject& from, std::string_view key, double expected) {
  const double found = amount(from, key);
  if (std::fabs(found - expected) > 1e-9 * std::fabs(expected))
    from.refuse(key, "is " + nlohmann::json(found).dump() + ", but the numbers it is derived from give " +
                         nlohmann::json(expected).dump());
}

MemoryResult read_memory(JsonObject from) {
  MemoryResult memory;
  memory.weights = amount(from, "weights_bytes");
  memory.gradients = amount(from, "gradients_bytes");
  memory.momentum = amount(from, "momentum_bytes");
  memory.activations = amount(from, "activations_bytes");
  memory.buffers = amount(from, "buffers_bytes");
  check_derived(from, "total_bytes", memory.total());
  memory.ranks_on_host = small_count(from, "ranks_on_host");
  memory.on_host = amount(from, "on_host_bytes");
  if (memory.ranks_on_host == 1 && memory.on_host == memory.total()) memory.on_host = 0;
  if (from.has("host_bytes")) memory.host = amount(from, "host_bytes");
  from.finish();
  return memory;
}

std::vector<double> read_seconds(JsonObject& from, std::string_view key) {
  std::vector<double> seconds;
  for (const nlohmann::json& value : from.array(key)) {
    if (!value.is_number() || value.get<double>() < 0)
      from.refuse(std::string(key) + "[" + std::to_string(seconds.size()) + "]",
                  "expected a number of at least 0, found " + value.dump());
    seconds.push_back(value.get<double>());
  }
  if (seconds.empty()) from.refuse(key, "expected at least one number");
  return seconds;
}

ReplicasResult read_replicas(JsonObject from) {
  ReplicasResult replicas;
  replicas.iteration_seconds = read_seconds(from, "iteration_seconds");
  const Distribution seconds = replicas.iterations();
  check_derived(from, "count", static_cast<double>(replicas.iteration_seconds.size()));
  check_derived(from, "p5_s", seconds.p5);
  check_derived(from, "median_s", seconds.median);
  check_derived(from, "p95_s", seconds.p95);
  replicas.seed = read_seed(from);
  replicas.node_spread = amount(from, "node_spread");
  from.finish();
  return replicas;
}

EpochResult read_epoch(JsonObject from) {
  EpochResult epoch;
  epoch.loss = from.any("loss").is_null() ? std::nan("") : from.number("loss", -kLargest, kLargest);
  if (!from.any("test_accuracy").is_null()) epoch.test_accuracy = from.number("test_accuracy", 0, 1);
  epoch.seconds = from.number("seconds", 0, kLargest);
  epoch.images_per_s = from.number("images_per_s", 0, kLargest);
  from.finish();
  return epoch;
}

std::vector<double> read_losses(JsonObject& from) {
  std::vector<double> losses;
  for (const nlohmann::json& value : from.array("losses")) {
    if (!value.is_number() && !value.is_null())
      from.refuse("losses[" + std::to_string(losses.size()) + "]", "expected a number or null, found " + value.dump());
    losses.push_back(value.is_null() ? std::nan("") : value.get<double>());
  }
  return losses;
}

void check_iteration(JsonObject from, const Result& result) {
  const Distribution seconds = result.iterations();
  check_derived(from, "min_s", seconds.min);
  check_derived(from, "p5_s", seconds.p5);
  check_derived(from, "median_s", seconds.median);
  check_derived(from, "p95_s", seconds.p95);
  check_derived(from, "max_s", seconds.max);
  from.finish();
}

void check_totals(JsonObject from, const Result& result) {
  check_derived(from, "epoch_s", result.epoch_s());
  check_derived(from, "images_per_s", result.images_per_s());
  check_derived(from, "compute_s", result.compute_s());
  check_derived(from, "communication_s", result.communication_s());
  check_derived(from, "reduction_s", result.reduction_s());
  check_derived(from, "alpha_beta_s", result.alpha_beta_s());
  check_derived(from, "paper_s", result.paper_s());
  check_derived(from, "extrapolated_s", result.extrapolated_s());
  check_derived(from, "bytes_sent", result.bytes_sent());
  if (result.job.overlaps()) {
    check_derived(from, "exposed_s", result.exposed_s());
    from.number("hidden_s", -kLargest, kLargest);
  }
  from.finish();
}

void check_schema(JsonObject& root) {
  const std::string schema = root.text("schema");
  if (schema != kResultSchema)
    root.refuse("schema", std::string("expected \"") + kResultSchema + "\", found \"" + schema + "\"");
  const std::int64_t version = root.integer("schema_version", 0);
  if (version != kResultSchemaVersion)
    root.refuse("schema_version", "is " + std::to_string(version) + ", but this program reads version " +
                                      std::to_string(kResultSchemaVersion) + " only");
}

// What a simulated job has (a platform, perhaps a profile) and a native one (the machine).
void read_where(JsonObject& root, Result& result) {
  result.kind = root.text("kind");
  if (result.kind != "simulated" && result.kind != "native")
    root.refuse("kind", unknown_choice("kind of result", result.kind, {"simulated", "native"}));
  if (result.kind == "simulated") {
    result.platform = read_platform(root.object("platform"));
    if (root.has("profile")) result.profile = read_profile(root.object("profile"));
    if (root.has("replicas")) result.replicas = read_replicas(root.object("replicas"));
    if (root.has("links")) result.links = read_links(root.object("links"));
    if (root.has("strategy_search")) result.strategy_search = read_strategy_search(root.object("strategy_search"));
    if (root.has("placement_trials")) result.placement_trials = read_placement_trials(root);
    if (root.has("bounds")) result.bounds = read_bounds(root.object("bounds"));
    if (root.has("slow_parts")) result.slow_parts = read_slow_parts(root.object("slow_parts"));
    if (root.has("timeline")) result.timeline = read_timeline(root.object("timeline"));
  } else {
    result.native = read_native(root.object("native"));
  }
}

}  // namespace

Result result_from_json(const std::string& path, const std::string& text) {
  const nlohmann::json document = parse_json("result", path, text);
  JsonObject root("result", path, document);
  check_schema(root);
  Result result;
  read_where(root, result);
  result.version = root.text("version");
  result.job = read_job(root.object("job"));
  result.iteration_seconds = read_seconds(root, "iteration_seconds");
  double sum = 0;
  for (const double seconds : result.iteration_seconds) sum += seconds;
  check_derived(root, "iteration_s", sum / static_cast<double>(result.iteration_seconds.size()));
  result.iteration_s = root.number("iteration_s", 0, kLargest);
  check_iteration(root.object("iteration"), result);
  result.losses = read_losses(root);
  for (std::size_t i = 0; i < root.array("epochs").size(); ++i)
    result.epochs.push_back(read_epoch(root.element("epochs", i)));
  for (std::size_t i = 0; i < root.array("layers").size(); ++i)
    result.layers.push_back(read_layer(root.element("layers", i)));
  result.memory = read_memory(root.object("memory"));
  check_totals(root.object("totals"), result);
  if (root.has("passport")) result.passport = read_passport(root.object("passport"));
  root.finish();
  return result;
}

}  // namespace simtrain
