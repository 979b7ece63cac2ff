#include "report/json.hpp"

#include <cmath>

#include "base/error.hpp"
#include "report/json_value.hpp"
#include "report/machine_json.hpp"
#include "report/passport_json.hpp"
#include "report/strategy_json.hpp"
#include "report/timeline_json.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

ordered_json write(const char* key, const Spread& spread) {
  return {{"min", finite(key, spread.min)}, {"mean", finite(key, spread.mean)}, {"max", finite(key, spread.max)}};
}

ordered_json write(const CollectiveResult& collective) {
  ordered_json value = {{"algorithm", collective.algorithm},
                        {"group_size", collective.group_size},
                        {"seconds", write("seconds", collective.seconds)},
                        {"reduction_s", finite("reduction_s", collective.reduction_s)},
                        {"bytes_sent", write("bytes_sent", collective.bytes_sent)},
                        {"messages", finite("messages", collective.messages)},
                        {"alpha_beta_s", finite("alpha_beta_s", collective.alpha_beta_s)},
                        {"paper_s", finite("paper_s", collective.paper_s)}};
  if (collective.exposed_s) value["exposed_s"] = finite("exposed_s", *collective.exposed_s);
  return value;
}

ordered_json write(const PhaseResult& phase) {
  return {{"seconds", write("seconds", phase.seconds)},     {"p5_s", finite("p5_s", phase.p5_s)},
          {"median_s", finite("median_s", phase.median_s)}, {"p95_s", finite("p95_s", phase.p95_s)},
          {"begin_s", write("begin_s", phase.begin_s)},     {"end_s", write("end_s", phase.end_s)}};
}

ordered_json write(const std::vector<std::optional<PhaseResult>>& phases) {
  ordered_json value;
  for (std::size_t i = 0; i < kPhaseKeys.size(); ++i) {
    const bool there = i < phases.size() && phases[i];
    if (there || !is_rare(static_cast<Phase>(i)))
      value[kPhaseKeys[i]] = there ? write(*phases[i]) : ordered_json(nullptr);
  }
  return value;
}

ordered_json write(const Distribution& seconds) {
  return {{"min_s", finite("min_s", seconds.min)},
          {"p5_s", finite("p5_s", seconds.p5)},
          {"median_s", finite("median_s", seconds.median)},
          {"p95_s", finite("p95_s", seconds.p95)},
          {"max_s", finite("max_s", seconds.max)}};
}

ordered_json write(const EpochResult& epoch) {
  ordered_json value;
  value["loss"] = std::isfinite(epoch.loss) ? ordered_json(epoch.loss) : nullptr;
  value["test_accuracy"] = epoch.test_accuracy ? ordered_json(*epoch.test_accuracy) : nullptr;
  value["seconds"] = finite("epochs.seconds", epoch.seconds);
  value["images_per_s"] = finite("epochs.images_per_s", epoch.images_per_s);
  return value;
}

ordered_json write(const LayerResult& layer) {
  ordered_json value = {{"name", layer.name}, {"kind", layer.kind}};
  if (layer.grid) value.update({{"grid_rows", layer.grid->rows}, {"grid_columns", layer.grid->columns}});
  if (layer.strips > 1) value["strips"] = layer.strips;
  value.update({{"forward_s", write("forward_s", layer.forward_s)},
                {"backward_s", write("backward_s", layer.backward_s)},
                {"update_s", write("update_s", layer.update_s)},
                {"extrapolated_s", finite("extrapolated_s", layer.extrapolated_s)},
                {"all_gather", write(layer.all_gather)},
                {"reduce_data", write(layer.reduce_data)},
                {"reduce_weights", write(layer.reduce_weights)}});
  if (layer.redistribute.algorithm != "none") value["redistribute"] = write(layer.redistribute);
  if (layer.halo.algorithm != "none") value["halo"] = write(layer.halo);
  if (layer.by_columns()) value["reduce_output"] = write(layer.reduce_output);
  value["phases"] = write(layer.phases);
  return value;
}

ordered_json write(const MemoryResult& memory) {
  ordered_json value = {{"weights_bytes", finite("weights_bytes", memory.weights)},
                        {"gradients_bytes", finite("gradients_bytes", memory.gradients)},
                        {"momentum_bytes", finite("momentum_bytes", memory.momentum)},
                        {"activations_bytes", finite("activations_bytes", memory.activations)},
                        {"buffers_bytes", finite("buffers_bytes", memory.buffers)},
                        {"total_bytes", finite("total_bytes", memory.total())},
                        {"ranks_on_host", memory.ranks_on_host},
                        {"on_host_bytes", finite("on_host_bytes", memory.together())}};
  if (memory.host) value["host_bytes"] = finite("host_bytes", *memory.host);
  return value;
}

ordered_json write(const JobResult& job) {
  ordered_json value = {{"network", job.network},
                        {"strategy", job.strategy},
                        {"collectives", job.collectives},
                        {"gather", job.gather},
                        {"placement", job.placement},
                        {"ranks_per_host", job.ranks_per_host},
                        {"numerics", job.numerics},
                        {"detail", job.detail},
                        {"grid_rows", job.grid_rows},
                        {"grid_columns", job.grid_columns},
                        {"batch", job.batch},
                        {"iterations", job.iterations},
                        {"warm_up", job.warm_up},
                        {"epoch_images", job.epoch_images},
                        {"seed", job.seed},
                        {"learning_rate", finite("learning_rate", job.learning_rate)},
                        {"momentum", finite("momentum", job.momentum)},
                        {"weight_decay", finite("weight_decay", job.weight_decay)},
                        {"learning_rate_schedule", job.learning_rate_schedule},
                        {"dropout", job.dropout},
                        {"data", job.data},
                        {"shuffled", job.shuffled}};
  if (job.overlaps())
    value.update({{"overlap", job.overlap}, {"progress", job.progress}, {"bucket_bytes", job.bucket_bytes}});
  return value;
}

ordered_json write(const PlatformResult& platform) {
  return {{"name", platform.name},
          {"description", platform.description},
          {"hosts", platform.hosts},
          {"latency_s", finite("latency_s", platform.latency_s)},
          {"bandwidth_Bps", finite("bandwidth_Bps", platform.bandwidth_Bps)},
          {"bandwidth_scale", finite("bandwidth_scale", platform.bandwidth_scale)},
          {"latency_scale", finite("latency_scale", platform.latency_scale)},
          {"latency_source", platform.latency_source},
          {"network_model", platform.network_model},
          {"network_source", platform.network_source},
          {"network_outside_share", finite("network_outside_share", platform.network_outside_share)}};
}

ordered_json write(const ProfileResult& profile) {
  return {{"name", profile.name},
          {"machine", profile.machine},
          {"cpu", profile.cpu},
          {"blas", profile.blas},
          {"threads_per_rank", profile.threads_per_rank},
          {"processes_per_node", profile.processes_per_node},
          {"date", profile.date},
          {"command", profile.command},
          {"this_machine", profile.this_machine},
          {"compute_scale", finite("compute_scale", profile.compute_scale)}};
}

ordered_json write(const ReplicasResult& replicas) {
  ordered_json value = {{"count", replicas.iteration_seconds.size()},
                        {"seed", replicas.seed},
                        {"node_spread", finite("node_spread", replicas.node_spread)}};
  const Distribution seconds = replicas.iterations();
  value["p5_s"] = finite("p5_s", seconds.p5);
  value["median_s"] = finite("median_s", seconds.median);
  value["p95_s"] = finite("p95_s", seconds.p95);
  value["iteration_seconds"] = ordered_json::array();
  for (const double one : replicas.iteration_seconds)
    value["iteration_seconds"].push_back(finite("replicas.iteration_seconds", one));
  return value;
}

ordered_json write(const NativeResult& native) {
  return {{"machine", native.machine},
          {"cpu", native.cpu},
          {"mpi", native.mpi},
          {"blas", native.blas},
          {"threads_per_rank", native.threads_per_rank},
          {"cores", native.cores},
          {"hosts", native.hosts},
          {"binding", native.binding}};
}

ordered_json write_totals(const Result& result) {
  ordered_json value = {{"epoch_s", finite("epoch_s", result.epoch_s())},
                        {"images_per_s", finite("images_per_s", result.images_per_s())},
                        {"compute_s", finite("compute_s", result.compute_s())},
                        {"communication_s", finite("communication_s", result.communication_s())},
                        {"reduction_s", finite("reduction_s", result.reduction_s())},
                        {"alpha_beta_s", finite("alpha_beta_s", result.alpha_beta_s())},
                        {"paper_s", finite("paper_s", result.paper_s())},
                        {"extrapolated_s", finite("extrapolated_s", result.extrapolated_s())},
                        {"bytes_sent", finite("bytes_sent", result.bytes_sent())}};
  if (result.job.overlaps())
    value.update(
        {{"exposed_s", finite("exposed_s", result.exposed_s())}, {"hidden_s", finite("hidden_s", result.hidden_s())}});
  return value;
}

}  // namespace

ordered_json finite(const char* key, double value) {
  SIMTRAIN_INVARIANT(std::isfinite(value), std::string("'") + key + "' of a result is " + std::to_string(value));
  return value;
}

ordered_json to_json_value(const Result& result) {
  ordered_json value = {{"schema", kResultSchema},
                        {"schema_version", kResultSchemaVersion},
                        {"kind", result.kind},
                        {"version", result.version},
                        {"job", write(result.job)}};
  if (result.platform) value["platform"] = write(*result.platform);
  if (result.profile) value["profile"] = write(*result.profile);
  if (result.native) value["native"] = write(*result.native);

  value["iteration_s"] = finite("iteration_s", result.iteration_s);
  value["iteration"] = write(result.iterations());
  if (result.replicas) value["replicas"] = write(*result.replicas);
  if (result.strategy_search) value["strategy_search"] = to_json_value(*result.strategy_search);
  if (!result.placement_trials.empty()) value["placement_trials"] = to_json_value(result.placement_trials);
  if (result.bounds) value["bounds"] = to_json_value(*result.bounds);
  if (result.slow_parts) value["slow_parts"] = to_json_value(*result.slow_parts);
  value["totals"] = write_totals(result);
  value["memory"] = write(result.memory);
  value["iteration_seconds"] = ordered_json::array();
  for (const double seconds : result.iteration_seconds)
    value["iteration_seconds"].push_back(finite("iteration_seconds", seconds));
  // The one number that users can drive out of bounds (a learning rate too large): null says that it diverged.
  value["losses"] = ordered_json::array();
  for (const double loss : result.losses) value["losses"].push_back(std::isfinite(loss) ? ordered_json(loss) : nullptr);
  value["epochs"] = ordered_json::array();
  for (const EpochResult& epoch : result.epochs) value["epochs"].push_back(write(epoch));
  value["layers"] = ordered_json::array();
  for (const LayerResult& layer : result.layers) value["layers"].push_back(write(layer));
  if (result.links) value["links"] = to_json_value(*result.links);
  if (result.timeline) value["timeline"] = to_json_value(*result.timeline);
  add_passport(result.passport, value);
  return value;
}

std::string json_text(const ordered_json& document) {
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string to_json(const Result& result) { return json_text(to_json_value(result)); }

}  // namespace simtrain
