// What a run produced, as a value: the same for a simulated job and a native one. Times are seconds of one iteration
// (the mean over the timed iterations), bytes are of one iteration. Reports, JSON, comparisons start from here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/passport.hpp"
#include "report/timeline.hpp"

namespace simtrain {

inline constexpr const char* kResultSchema = "simtrain-result";
inline constexpr int kResultSchemaVersion = 3;  // docs/result.schema.json

// Over ranks, unless it says more.
struct Spread {
  double min = 0, mean = 0, max = 0;
  bool operator==(const Spread&) const = default;
};

// Of a list of numbers: extremes, median, 5th and 95th percentile. Percentile p of n numbers in their order is that at
// place p/100*(n-1), between two of them by linear interpolation. All zeros for an empty list.
struct Distribution {
  double min = 0, p5 = 0, median = 0, p95 = 0, max = 0;
};
Distribution distribution_of(std::vector<double> values);

enum class Phase {
  forward,
  backward,
  update,
  all_gather,
  reduce_data,
  reduce_weights,
  redistribute,
  halo,
  reduce_output
};
inline constexpr int kPhases = 9;
inline constexpr bool computes(Phase phase) { return phase <= Phase::update; }
std::string name_of(Phase phase);  // "backward", "all-reduce dX"
inline constexpr std::array<const char*, kPhases> kPhaseKeys{
    "forward",        "backward",     "update", "all_gather",   "reduce_data",
    "reduce_weights", "redistribute", "halo",   "reduce_output"};  // in JSON
// Few layers have these, and only they show them.
inline constexpr bool is_rare(Phase phase) { return phase >= Phase::redistribute; }

// One phase of one layer, as it was in the timed iterations. Computing: the time its operations took, from the first to
// the last of which it may be longer, with other phases between them. A collective: from the call to its return.
struct PhaseResult {
  Spread seconds;                            // over ranks and iterations
  double p5_s = 0, median_s = 0, p95_s = 0;  // over iterations, of the mean over ranks; up to 1000 are sampled
  Spread begin_s, end_s;  // over ranks and iterations: since the begin of the iteration on the same rank
  bool operator==(const PhaseResult&) const = default;
};

// One collective of one layer: what it took, what it moved, and what the formulas say.
struct CollectiveResult {
  std::string algorithm = "none";  // or "ring", ...; none when the group has one member or the layer needs none
  int group_size = 1;
  Spread seconds;           // from the call to its return, waiting for others and additions included
  double reduction_s = 0;   // mean over ranks: the part spent adding what arrived
  Spread bytes_sent;        // per rank
  double messages = 0;      // sent, all ranks together
  double alpha_beta_s = 0;  // mean over ranks: the same schedule without contention (train/cost.hpp)
  double paper_s = 0;       // the layer's term of formula (8), or of (9) where images are in strips, Gholami et al.;
                            // split by columns, what docs/formulas.md says
  // With overlap, mean over ranks: the part of `seconds`, which are then those between begin and end, in which the rank
  // computed nothing because of it. None without overlap: all of it.
  std::optional<double> exposed_s = {};
  [[nodiscard]] double waited_s() const { return exposed_s.value_or(seconds.mean); }
  bool operator==(const CollectiveResult&) const = default;
};

struct LayerGrid {
  int rows = 1, columns = 1;
  bool operator==(const LayerGrid&) const = default;
};

struct LayerResult {
  std::string name;  // of the weighted layer; activation, pooling, loss after it are counted in its row
  std::string kind;  // "convolution 11x11, 3 -> 96", for people
  Spread forward_s, backward_s, update_s;  // computing
  double extrapolated_s = 0;               // mean over ranks: computing outside the profile's measured range
  CollectiveResult all_gather;             // Y over Pr, forward
  CollectiveResult reduce_data;            // dX over Pr, backward
  CollectiveResult reduce_weights;         // dW over Pc, backward
  // X from, and dX to, the grid of the layer it comes from, over all ranks; "none" where that is on the same grid.
  CollectiveResult redistribute = {};
  // Of images in strips: lines of X, and of dX back, between the strips of an image; what is not hidden by computing.
  CollectiveResult halo = {};
  CollectiveResult reduce_output = {};  // Y over Pr, forward, of a layer that is split by columns of W
  std::optional<LayerGrid> grid = {};   // where it is not the job's
  int strips = 1;                       // that images are cut into; the rows of the grid then
  // By Phase; none where the layer has no such phase. Empty when they were not noted.
  std::vector<std::optional<PhaseResult>> phases = {};
  [[nodiscard]] bool by_columns() const { return reduce_output.algorithm != "none"; }
  bool operator==(const LayerResult&) const = default;
};

// What a layer exchanges, in the order of Phase: the last ones there.
inline constexpr std::array<CollectiveResult LayerResult::*, kPhases - 3> kExchangesOfLayer{
    &LayerResult::all_gather,   &LayerResult::reduce_data, &LayerResult::reduce_weights,
    &LayerResult::redistribute, &LayerResult::halo,        &LayerResult::reduce_output};
struct MemoryResult {  // bytes of the rank that needs most
  double weights = 0, gradients = 0, momentum = 0, activations = 0, buffers = 0;
  [[nodiscard]] double total() const { return weights + gradients + momentum + activations + buffers; }
  int ranks_on_host = 1;       // on the host whose ranks together need most; natively not known, and 1
  double on_host = 0;          // bytes that they need together; 0: as much as `total`
  std::optional<double> host;  // memory of a host, when the platform says
  [[nodiscard]] double together() const { return on_host > 0 ? on_host : total(); }
  bool operator==(const MemoryResult&) const = default;
};

struct JobResult {
  std::string network, strategy, collectives, gather, placement, numerics;
  int grid_rows = 1, grid_columns = 1;
  std::int64_t batch = 0, iterations = 0, warm_up = 0, epoch_images = 0;
  std::uint64_t seed = 0;
  double learning_rate = 0, momentum = 0, weight_decay = 0;
  std::string learning_rate_schedule = "constant";  // as given: "step:30:0.1"
  bool dropout = false;                             // whether anything is dropped: never by a network without dropout
  std::string data = "synthetic";                   // or the folder's name
  bool shuffled = false;
  std::string detail = "messages";  // or "merged": how collectives were simulated; a native job sends every message
  int ranks_per_host = 1;           // at most, as asked for; natively the launcher decides, and it is 1
  std::string overlap = "none";     // or "gradients", "all" (train/overlap.hpp); with them:
  std::string progress = {};        // "ideal", "polling", "none"
  std::int64_t bucket_bytes = 0;
  [[nodiscard]] bool overlaps() const { return overlap != "none"; }
  bool operator==(const JobResult&) const = default;
};

struct PlatformResult {
  std::string name;         // as given: "torus.xml", "torus:4x4x4,..."; natively the machine's name
  std::string description;  // "3-D torus 8x8x4, 256 hosts"
  std::int64_t hosts = 0;
  double latency_s = 0, bandwidth_Bps = 0;        // the alpha and 1/beta used by the formulas
  double bandwidth_scale = 1, latency_scale = 1;  // of all its links between hosts, beside what it is described as
  std::string latency_source;                     // "mean route latency between the job's ranks, narrowest link"
  std::string network_model = "linear";           // or "calibrated" (sim/engine/network_model.hpp)
  std::string network_source;                     // where its factors were measured; empty for linear
  double network_outside_share = 0;               // of the messages' time: sizes that were not measured
  bool operator==(const PlatformResult&) const = default;
};

struct ProfileResult {
  std::string name, machine, cpu, blas, date;
  std::string command;
  int threads_per_rank = 1;
  int processes_per_node = 1;  // computing at once
  bool this_machine = false;
  double compute_scale = 1;
  bool operator==(const ProfileResult&) const = default;
};

// A prediction, simulated again and again with noise of the kernels, errors of the profile and unlike nodes.
struct ReplicasResult {
  std::uint64_t seed = 0;                 // of what was drawn
  double node_spread = 0;                 // assumed: standard deviation of the logarithm of the nodes' times
  std::vector<double> iteration_seconds;  // of each replica the mean over its timed iterations, slowest rank
  [[nodiscard]] Distribution iterations() const { return distribution_of(iteration_seconds); }
  bool operator==(const ReplicasResult&) const = default;
};

// Links that are alike: of one direction of a dimension, of one level, or of a file with names that differ in digits.
struct LinkClassResult {
  std::string name;
  std::int64_t count = 0;
  double bytes = 0;                                  // that all of them carry
  double mean_utilisation = 0, max_utilisation = 0;  // bytes / (bandwidth x iteration), 1: busy all the time
  bool operator==(const LinkClassResult&) const = default;
};
struct LinkResult {
  std::string name;  // by place: "x+ of (3,0,1)"; of a file: its name there
  double bytes = 0, utilisation = 0;
  bool operator==(const LinkResult&) const = default;
};
// What links carried in one iteration, envelopes of messages included.
struct LinksResult {
  std::int64_t used = 0;  // links that carried something
  std::vector<LinkClassResult> classes;
  std::vector<LinkResult> busiest;  // at most kMostListedLinks, by utilisation; equal ones by the platform's numbers
  [[nodiscard]] std::int64_t count() const;
  bool operator==(const LinksResult&) const = default;
};
inline constexpr std::size_t kMostListedLinks = 2000;

// What `auto` tried: one short simulation each.
struct PlacementTrial {
  std::string placement;
  std::optional<double> iteration_s;  // none: it cannot be had, for this reason
  std::string error;
  bool operator==(const PlacementTrial&) const = default;
};

// What --strategy auto did: how the layers could be split, by the formulas, and what of it was simulated.
// Of one iteration, on the rank that has most to do: computing, and communication without contention.
struct FormulaSeconds {
  double compute = 0;
  std::array<double, kPhases> exchanges{};  // by Phase, from all_gather on
  [[nodiscard]] double total() const;
  bool operator==(const FormulaSeconds&) const = default;
};
struct StrategyTrial {
  std::string what;   // "least by the formulas", "uniform on 16x16"
  std::string rules;  // as --strategy reads them
  LayerGrid grid;     // --grid, which no layer needs
  double formula_s = 0;
  std::optional<double> iteration_s;  // simulated; none: it cannot be had, for this reason
  std::string error;
  bool operator==(const StrategyTrial&) const = default;
};
struct SplitLayer {
  std::string name, split;  // "conv1", "domain:4x64"
  FormulaSeconds seconds;
  // The best with this layer split in any other way, all others as it then suits them; none: there is no other way.
  struct Other {
    std::string split;
    FormulaSeconds more;               // of the whole iteration, than what was chosen: each part may be less
    std::vector<std::string> changed;  // other layers that it splits differently
    bool operator==(const Other&) const = default;
  };
  std::optional<Other> other;
  bool operator==(const SplitLayer&) const = default;
};
struct StrategySearchResult {
  std::int64_t processes = 1;
  double latency_s = 0, bandwidth_Bps = 0;  // alpha and 1/beta
  double assignments = 0;                   // ways to split all layers
  std::vector<StrategyTrial> trials;        // the first is the least by the formulas
  int chosen = 0;                           // of the trials
  std::vector<SplitLayer> layers;           // with weights, as chosen
  bool operator==(const StrategySearchResult&) const = default;
};

// Hosts that compute slower and links with less bandwidth than usual, and what they cost.
struct SlowPart {
  std::string name;
  double factor = 1;  // of speed or bandwidth
  bool operator==(const SlowPart&) const = default;
};
struct GridAlternative {  // the job on hosts that are not slow
  int grid_rows = 1, grid_columns = 1;
  std::optional<double> iteration_s;  // none: it cannot be had, for this reason
  std::string error;
  bool operator==(const GridAlternative&) const = default;
};
struct SlowPartsResult {
  std::string description;             // as asked for, seed included
  std::vector<SlowPart> hosts, links;  // at most kMostListedParts of each, by the platform's numbers
  std::int64_t slow_hosts = 0, slow_hosts_used = 0, degraded_links = 0;
  std::int64_t healthy_slots = 0;        // ranks that hosts which are not slow have room for
  std::optional<double> healed_s;        // an iteration without any of it; none: not simulated
  std::vector<GridAlternative> without;  // slow hosts left out; empty: none is used, or not simulated
  bool operator==(const SlowPartsResult&) const = default;
};
inline constexpr std::size_t kMostListedParts = 100;

// Where an iteration's time goes, beside what bounds it: by simulations of the same job on networks without contention,
// then without latency, then without end of bandwidth; each takes away what the limit costs. Adds up to the iteration
// of the slowest rank.
struct BoundsResult {
  double computing_s = 0;   // mean over ranks, at the profile's speed
  double slower_s = 0;      // mean over ranks: hosts that are slow, cores that several ranks share
  double adding_s = 0;      // mean over ranks: sums of what arrived; with overlap in `waiting_s`, if it is exposed
  double waiting_s = 0;     // what else is left when messages take no time: for slower ranks; imbalance
  double bandwidth_s = 0;   // bytes over the narrowest links of their routes
  double latency_s = 0;     // of messages one after the other
  double contention_s = 0;  // links shared with others
  [[nodiscard]] double total() const {
    return computing_s + slower_s + adding_s + waiting_s + bandwidth_s + latency_s + contention_s;
  }
  bool operator==(const BoundsResult&) const = default;
};

struct NativeResult {  // only of native runs
  std::string machine, cpu, mpi, blas;
  int threads_per_rank = 1;  // of its BLAS
  int cores = 1;             // of the machine of rank 0
  int hosts = 1;             // that ranks run on
  std::string binding;       // of ranks to cores, as mpirun left it: "4 ranks bound to a core each", "not bound"
  bool operator==(const NativeResult&) const = default;
};

struct EpochResult {                    // of native training
  double loss = 0;                      // mean over its iterations
  std::optional<double> test_accuracy;  // share of the test samples, after the epoch; none without test data
  double seconds = 0;                   // of its timed iterations, slowest rank
  double images_per_s = 0;
  bool operator==(const EpochResult&) const = default;
};

struct Result {
  std::string kind;  // "simulated" or "native"
  std::string version;
  JobResult job;
  std::optional<PlatformResult> platform;
  std::optional<ProfileResult> profile;
  std::optional<NativeResult> native;
  std::optional<ReplicasResult> replicas;        // of simulated results that were asked for them
  std::optional<LinksResult> links;              // of simulated results on a platform that has any
  std::vector<PlacementTrial> placement_trials;  // of --placement auto
  std::optional<SlowPartsResult> slow_parts;
  std::optional<BoundsResult> bounds;                   // of simulated results that were asked for them
  std::optional<Passport> passport;                     // of results that a program wrote
  std::optional<StrategySearchResult> strategy_search;  // of --strategy auto
  std::optional<Timeline> timeline;  // of results that were asked for it; no part of JSON files (report/json.hpp)

  std::vector<double> iteration_seconds;  // of every timed iteration, slowest rank
  double iteration_s = 0;                 // their mean
  std::vector<double> losses;             // mean over the batch, per iteration; empty without numbers; NaN: diverged
  std::vector<EpochResult> epochs;        // empty when the job counts iterations
  std::vector<LayerResult> layers;
  MemoryResult memory;

  [[nodiscard]] Distribution iterations() const { return distribution_of(iteration_seconds); }
  [[nodiscard]] double epoch_s() const;
  [[nodiscard]] double images_per_s() const;
  // Means over ranks, summed over layers; compute + exposed = the mean rank's iteration.
  [[nodiscard]] double compute_s() const;        // forward, backward, update
  [[nodiscard]] double communication_s() const;  // collectives, their additions included
  [[nodiscard]] double exposed_s() const;        // the part of communication in which nothing was computed
  [[nodiscard]] double hidden_s() const { return communication_s() - exposed_s(); }
  [[nodiscard]] double reduction_s() const;
  [[nodiscard]] double alpha_beta_s() const;
  [[nodiscard]] double paper_s() const;  // formula (8), or (9) where has_strips()
  [[nodiscard]] bool has_strips() const;
  [[nodiscard]] bool has_columns() const;  // whether a layer is split by columns
  [[nodiscard]] double extrapolated_s() const;
  [[nodiscard]] double bytes_sent() const;  // per rank, mean
  bool operator==(const Result&) const = default;
};

}  // namespace simtrain
