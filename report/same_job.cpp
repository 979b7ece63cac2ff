#include "report/same_job.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "report/collective_of.hpp"

namespace simtrain {

namespace {

std::string shown(const std::string& text) { return text.empty() ? "none" : text; }
std::string shown(bool value) { return value ? "yes" : "no"; }
std::string shown(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
  return buffer.data();
}
template <typename Integer>
std::string shown(Integer value) {
  return std::to_string(value);
}

class Differences {
 public:
  // Compared as they are shown: 0.9 is 0.9, whether it went through single precision or not.
  template <typename Value>
  void add(std::string what, const Value& reference, const Value& other) {
    std::string ours = shown(reference), theirs = shown(other);
    if (ours != theirs) found_.push_back({std::move(what), std::move(ours), std::move(theirs)});
  }

  [[nodiscard]] const std::vector<Mention>& found() const { return found_; }

 private:
  std::vector<Mention> found_;
};

std::string grid_of(const JobResult& job) {
  return std::to_string(job.grid_rows) + "x" + std::to_string(job.grid_columns);
}

std::string described(const LayerResult& layer) { return layer.name + " (" + layer.kind + ")"; }

std::string described(const CollectiveResult& collective) {
  if (collective.algorithm == "none") return "none";
  return collective.algorithm + " over " + std::to_string(collective.group_size);
}

void add_layers(Differences& differences, const Result& reference, const Result& other) {
  differences.add("number of layers", reference.layers.size(), other.layers.size());
  if (reference.layers.size() != other.layers.size()) return;
  for (std::size_t i = 0; i < reference.layers.size(); ++i)
    differences.add("layer " + std::to_string(i + 1), described(reference.layers[i]), described(other.layers[i]));
}

// Precondition: as many layers in both.
void add_collectives(Differences& differences, const Result& reference, const Result& other) {
  for (std::size_t i = 0; i < reference.layers.size(); ++i)
    for_each_collective(reference.layers[i], [&](Phase phase, const CollectiveResult& ours) {
      differences.add(name_of(phase) + " of " + reference.layers[i].name, described(ours),
                      described(*collective_of(other.layers[i], phase)));
    });
}

std::string machine_of(const Result& result) {
  if (result.platform) return result.platform->name;
  return result.native ? result.native->machine + " (" + result.native->cpu + ")" : "";
}

std::string slow_parts_of(const Result& result) { return result.slow_parts ? result.slow_parts->description : ""; }

// What computed, or was measured to predict how long that takes.
struct Computer {
  std::string cpu, blas;
  int threads = 1;
  double scale = 1;
};
Computer computer_of(const Result& result) {
  if (result.native) return {result.native->cpu, result.native->blas, result.native->threads_per_rank, 1};
  if (result.profile)
    return {result.profile->cpu, result.profile->blas, result.profile->threads_per_rank, result.profile->compute_scale};
  return {};
}

}  // namespace

std::vector<Mention> job_differences(const Result& reference, const Result& other) {
  const JobResult& ours = reference.job;
  const JobResult& theirs = other.job;
  const auto momentum = [](const JobResult& job) { return std::string(job.momentum != 0 ? "used" : "none"); };
  Differences differences;
  differences.add("network", ours.network, theirs.network);
  differences.add("batch", ours.batch, theirs.batch);
  differences.add("grid", grid_of(ours), grid_of(theirs));
  differences.add("strategy", ours.strategy, theirs.strategy);
  differences.add("collectives", ours.collectives, theirs.collectives);
  differences.add("gather", ours.gather, theirs.gather);
  differences.add("overlap", ours.overlap, theirs.overlap);
  if (ours.overlaps()) differences.add("bucket", ours.bucket_bytes, theirs.bucket_bytes);
  differences.add("momentum", momentum(ours), momentum(theirs));  // its value costs nothing, its vectors do
  differences.add("dropout", ours.dropout, theirs.dropout);
  // Else their layers differ for these reasons. The network's name may stand for two files, and what "auto" means may
  // have changed between versions.
  if (differences.found().empty()) add_layers(differences, reference, other);
  if (differences.found().empty()) add_collectives(differences, reference, other);
  return differences.found();
}

std::vector<Mention> layer_differences(const Result& reference, const Result& other) {
  Differences differences;
  add_layers(differences, reference, other);
  return differences.found();
}

std::vector<Mention> circumstances(const Result& reference, const Result& other) {
  const JobResult& ours = reference.job;
  const JobResult& theirs = other.job;
  Differences differences;
  differences.add("platform", machine_of(reference), machine_of(other));
  differences.add("placement", ours.placement, theirs.placement);
  if (reference.platform && other.platform) {
    differences.add("ranks per host", ours.ranks_per_host, theirs.ranks_per_host);
    differences.add("bandwidth scale", reference.platform->bandwidth_scale, other.platform->bandwidth_scale);
    differences.add("latency scale", reference.platform->latency_scale, other.platform->latency_scale);
  }
  differences.add("slow parts", slow_parts_of(reference), slow_parts_of(other));
  differences.add("numerics", ours.numerics, theirs.numerics);
  differences.add("detail", ours.detail, theirs.detail);
  differences.add("progress", ours.progress, theirs.progress);
  differences.add("iterations", ours.iterations, theirs.iterations);
  differences.add("warm-up", ours.warm_up, theirs.warm_up);
  differences.add("data", ours.data, theirs.data);
  differences.add("shuffling", ours.shuffled, theirs.shuffled);
  differences.add("images of an epoch", ours.epoch_images, theirs.epoch_images);
  differences.add("seed", ours.seed, theirs.seed);
  differences.add("learning rate", ours.learning_rate, theirs.learning_rate);
  differences.add("learning-rate schedule", ours.learning_rate_schedule, theirs.learning_rate_schedule);
  if (ours.momentum != 0 && theirs.momentum != 0) differences.add("momentum", ours.momentum, theirs.momentum);
  differences.add("weight decay", ours.weight_decay, theirs.weight_decay);
  differences.add("version", reference.version, other.version);
  const Computer our_computer = computer_of(reference), their_computer = computer_of(other);
  differences.add("CPU", our_computer.cpu, their_computer.cpu);
  differences.add("BLAS", our_computer.blas, their_computer.blas);
  differences.add("threads per rank", our_computer.threads, their_computer.threads);
  differences.add("compute scale", our_computer.scale, their_computer.scale);
  if (reference.profile && other.profile) differences.add("profile", reference.profile->name, other.profile->name);
  if (reference.native && other.native) {
    differences.add("MPI", reference.native->mpi, other.native->mpi);
    differences.add("cores", reference.native->cores, other.native->cores);
    differences.add("hosts", reference.native->hosts, other.native->hosts);
    differences.add("binding", reference.native->binding, other.native->binding);
  }
  return differences.found();
}

}  // namespace simtrain
