// The plan of one training iteration: every tensor, who holds which part of it, and every step in order. A value: no
// MPI, no SimGrid, the same for all ranks. The trainer executes it, the formulas price it, calibration asks it which
// kernel calls it needs, the report asks it for memory and bytes.
//
// The 1.5D algorithm (Gholami et al., arXiv 1712.04432, section 2.3) for rank (r, c) of a Pr x Pc grid:
//   forward          Y(r) = W(r) X            (d/Pr) x (B/Pc)      all-gather of Y over Pr before the next layer
//   data gradient    dX   = W(r)^T dY(r)      partial sums          all-reduce over Pr; none for the first layer
//   weight gradient  dW(r) = dY(r) X^T        partial sums          all-reduce over Pc
// ReLU and pooling act on each row (channel) alone, so a rank applies them to its own rows before the all-gather.
//
// Layers may be on different grids over the same ranks (train/strategy.hpp). Where a layer's input is on another grid,
// it is redistributed before the layer, straight from the rows that ranks own rather than after an all-gather, and its
// gradient goes back after the layer's backward pass (train/redistribution.hpp). The network's input is on the grid of
// the first layer with weights; labels and loss are on the last layer's.
//
// Linear layers may be split by columns of W instead, as the second of two consecutive ones is (train/columns.hpp).
// With W(:,r) the columns of the features that the rank owns, X(r), and b(r) the biases of its own rows of Y:
//   forward          Y     = sum W(:,r) X(r) + b(r)   d x (B/Pc)            all-reduce of Y over Pr: whole on every
//   rank data gradient    dX(r) = W(:,r)^T dY              own rows              none weight gradient  dW(:,r) = dY
//   X(r)^T, db(r)       partial sums          all-reduce over Pc
// So X is never gathered for it. What follows without weights works on all rows of Y; the gradient dY is whole on every
// rank too: an all-reduce of dX, the loss or a redistribution makes it so.
//
// Domain-parallel layers are on a grid of strips x parts of the batch: a rank has all channels of its samples, and of
// each image its strip of lines, stored as [channels][samples][lines of the strip * width]. Its weights are whole, on
// 1 x P, over which their gradient is all-reduced. What a convolution or pooling reads is an extended tensor with the
// lines that its windows see (train/halo.hpp); a convolution computes those of its outputs that see own lines only
// while the others' lines arrive, and its weights' gradient while the extended gradient's lines go back.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "kernels/operation.hpp"
#include "train/grid.hpp"
#include "train/halo.hpp"
#include "train/network.hpp"
#include "train/overlap.hpp"
#include "train/partition.hpp"
#include "train/redistribution.hpp"
#include "train/schedule.hpp"
#include "train/strategy.hpp"
#include "train/strips.hpp"

namespace simtrain {

// When the rows of an activation are gathered. after_pooling moves the fewest bytes; before_pooling gathers Y as soon
// as it is multiplied, which is what formula (8) counts.
enum class Gather { after_pooling, before_pooling };
std::string_view name_of(Gather gather);
Gather parse_gather(std::string_view option, std::string_view text);

struct PlanOptions {
  Grid grid;
  std::int64_t batch = 1;
  Algorithm algorithm = Algorithm::automatic;
  Gather gather = Gather::after_pooling;
  float learning_rate = 0.01F, momentum = 0.9F, weight_decay = 0;
  bool dropout = false;    // false: the network's dropout layers let everything through
  std::uint64_t seed = 1;  // of dropout
  Strategy strategy = {};  // which layers are on `grid`, and where the others are
  OverlapOptions overlap = {};
};

enum class Role {
  input,
  labels,
  loss,
  weights,
  weight_gradient,
  momentum,
  activation,
  statistics,
  activation_gradient
};

struct TensorPlan {
  std::string name;
  Role role = Role::activation;
  int layer = kNetworkInput;    // of the network: that puts it out, has these weights, or either's gradient
  Grid grid;                    // of the layer it belongs to: which rank has which rows and samples
  Partition rows;               // over the Pr grid rows
  std::int64_t row_floats = 1;  // per sample if per_sample; of each line if in strips
  bool per_sample = false;      // rows are as long as the samples of the grid column
  bool whole = false;           // a rank stores all rows; false: only those of its grid row
  // Of weights and their like, stored as [weights | biases | scales | shifts] so that one all-reduce serves all.
  bool biases = false, normalised = false;
  int slot = -1;       // >= 0: shares its memory with the other tensors of that slot (dead when reused)
  Strips strips = {};  // cut: images in strips over the Pr grid rows, which have all `rows`; per_sample, not whole
  // Of weights split by columns, and their like: a grid row has these columns of all `rows`, and the biases of its own
  // rows. No columns: all of its own rows.
  Partition columns = {};

  [[nodiscard]] bool in_strips() const { return strips.cut(); }
  [[nodiscard]] bool by_columns() const { return columns.total > 0; }
  // Which part of `rows` a grid row has, and how many lines of it; 1 line where images are not cut.
  [[nodiscard]] int part(Coordinates here) const { return in_strips() ? 0 : here.row; }
  [[nodiscard]] std::int64_t lines(Coordinates here) const { return in_strips() ? strips.of(here.row).count : 1; }

  [[nodiscard]] std::int64_t weights_per_row() const { return row_floats - (biases ? 1 : 0) - (normalised ? 2 : 0); }
};

// Which part of a tensor an operand is. own: the rows of my grid row. weights, biases, normalisation
// (scales, then shifts): the parts of a weights tensor.
enum class View { none, whole, own, weights, biases, normalisation };
struct TensorRef {
  int tensor = -1;
  View view = View::none;
};

enum class Action {
  linear_forward,
  linear_data_gradient,
  linear_weight_gradient,
  convolution_forward,
  convolution_interior,  // of a strip: the outputs that see no lines of others, those above, those below
  convolution_above,
  convolution_below,
  convolution_data_gradient,
  convolution_weight_gradient,
  bias_forward,
  bias_gradient,
  normalise,
  normalise_gradient,
  dropout,  // forward and backward alike
  add,      // of activations or of gradients
  copy,
  relu,
  relu_gradient,
  pool,
  pool_gradient,
  flatten,
  flatten_gradient,
  loss,
  update
};

// What computing time is booked on, and what communication is for.
enum class Work { forward, backward, update, data_additions, weight_additions, output_additions, packing };
inline constexpr int kWorks = 7;
enum class Exchange { all_gather, reduce_data, reduce_weights, redistribute, halo, reduce_output };
inline constexpr int kExchanges = 6;

struct ComputeStep {
  Action action;
  int layer;  // of the network
  int row;    // of the report: the weighted layers, in order
  Work work;
  std::array<TensorRef, 6> operands;  // in the order of kernels/operation.hpp
  int sum = -1;                       // of steps that add up a gradient: the value's tensor
};
// When a collective ends. at_once: with its step. beside, background: with a WaitStep of that course, until when nobody
// touches what it works on. There is one beside the computing at a time, and no other communication but in the
// background meanwhile; of those in the background one runs after the other, in the order of their steps.
enum class Course { at_once, beside, background };

struct CollectiveStep {
  Exchange exchange;
  CollectiveOp operation;
  Algorithm algorithm;  // resolved: never automatic
  int row;              // of a bucket: that of its first tensor
  int tensor;           // of a bucket: its first
  Course course = Course::at_once;
  int bucket = -1;  // >= 0: works on all tensors of that bucket (Plan::buckets)
  [[nodiscard]] bool over_grid_column() const { return exchange != Exchange::reduce_weights; }
};
// Ends the collective beside the computing, or the oldest one in the background.
struct WaitStep {
  Course course;
};
// Over all ranks: a layer's input before the layer, or its gradient after it.
struct RedistributeStep {
  int row;                    // of the layer that reads the input
  int from, to;               // tensors on different grids
  bool from_whole, to_whole;  // whether a rank has, and needs, all rows
};
// Over the grid columns of a domain-parallel layer, in two steps with computing between them.
struct HaloStep {
  enum class Stage { begin, end };
  Stage stage;
  bool gradient;
  int row;
  int own, extended;  // tensors: the strips, and the lines that are seen
};
using Step = std::variant<ComputeStep, CollectiveStep, RedistributeStep, HaloStep, WaitStep>;

// Weight gradients of layers on one grid that are all-reduced together: they lie one after the other in memory.
struct Bucket {
  std::vector<int> tensors, rows;  // of the report
};

struct Range {  // floats of a tensor's buffer
  std::int64_t offset = 0, count = 0;
};

// Wherever a rank is asked for, by `at`, these are its coordinates on options.grid; on(grid, at) tells those on
// another.
struct Plan {
  Network network;
  PlanOptions options;
  std::vector<LayerStrategy> strategies;  // by layer of the network
  std::vector<int> report_layers;         // the weighted layers: indices into network.layers
  std::vector<TensorPlan> tensors;
  std::vector<Step> steps;
  int input = -1, labels = -1, loss = -1;  // tensors
  std::vector<int> weights;                // tensors, by report row
  int slots = 0;                           // memories that gradients of activations share
  std::vector<Bucket> buckets;             // in the order in which they are all-reduced; empty without overlap

  [[nodiscard]] std::int64_t floats(int tensor, Coordinates at) const;
  // Of the batch over the columns of a grid.
  [[nodiscard]] Partition samples(Grid grid) const { return {options.batch, grid.columns}; }
  [[nodiscard]] Coordinates on(Grid grid, Coordinates at) const { return grid.coordinates(options.grid.rank(at)); }
  [[nodiscard]] Grid grid_of(const ComputeStep& step) const {
    return strategies[static_cast<std::size_t>(step.layer)].grid;
  }
  [[nodiscard]] Grid grid_of(int tensor) const { return tensors[static_cast<std::size_t>(tensor)].grid; }
  // Each once, options.grid first, whether a layer is on it or not; those of weights too.
  [[nodiscard]] std::vector<Grid> grids() const;
  [[nodiscard]] Range range(TensorRef ref, Coordinates at) const;
  [[nodiscard]] Operation operation(const ComputeStep& step, Coordinates at) const;
  // The blocks of a collective's array for the members of the group of `at`.
  [[nodiscard]] Partition blocks(const CollectiveStep& step, Coordinates at) const;
  [[nodiscard]] Group group(const CollectiveStep& step, Coordinates at) const;
  [[nodiscard]] Redistribution redistribution(const RedistributeStep& step) const;
  [[nodiscard]] Halo halo(const HaloStep& step) const;
  // Whether a layer is domain parallel; then its weights are on 1 x P.
  [[nodiscard]] bool in_strips(int layer) const {
    return strategies[static_cast<std::size_t>(layer)].kind == LayerKind::domain;
  }
  // Whether a layer with weights is split by columns.
  [[nodiscard]] bool by_columns(int layer) const {
    const auto index = static_cast<std::size_t>(layer);
    return network.layers[index].weighted() && strategies[index].kind == LayerKind::columns;
  }
  [[nodiscard]] Grid weights_grid(int layer) const {
    const Grid grid = strategies[static_cast<std::size_t>(layer)].grid;
    return in_strips(layer) ? Grid{1, static_cast<int>(grid.size())} : grid;
  }
  [[nodiscard]] bool uses(Algorithm algorithm) const;
  // Calls visit(row, share) for the rows of the report that a collective serves, with their shares of its floats at
  // `at`, which add up to 1.
  template <typename Visit>
  void for_each_share(const CollectiveStep& step, Coordinates at, const Visit& visit) const {
    if (step.bucket < 0) return visit(step.row, 1.0);
    const Bucket& bucket = buckets[static_cast<std::size_t>(step.bucket)];
    const auto all = static_cast<double>(blocks(step, at).size());
    for (std::size_t i = 0; i < bucket.tensors.size(); ++i)
      visit(bucket.rows[i], all > 0 ? static_cast<double>(floats(bucket.tensors[i], at)) / all : 0.0);
  }
  [[nodiscard]] bool serves(const CollectiveStep& step, int row) const;
};

// InputError when the batch is smaller than Pc of a layer's grid, and those of decide() (train/strategy.hpp).
Plan make_plan(const Network& network, const PlanOptions& options);

// InputError naming the layer when the job cannot be trained with real numbers: batch normalisation needs the
// statistics of the whole batch, and a rank has those of its grid column and strip.
void check_trainable(const Plan& plan);

// Every distinct primitive call that some rank makes, additions of collectives included.
std::vector<Call> calls_of(const Plan& plan);

// Messages of an iteration of all ranks, of collectives empty ones too: an upper bound, exact where no block is empty.
// Those of the library's own collectives are not counted.
double messages_of(const Plan& plan);

// Bytes by kind for one rank.
struct MemoryUse {
  double weights = 0, gradients = 0, momentum = 0, activations = 0, buffers = 0;
  [[nodiscard]] double total() const { return weights + gradients + momentum + activations + buffers; }
};
MemoryUse memory_of(const Plan& plan, Coordinates at);
// Of the rank that needs most.
MemoryUse largest_memory_of(const Plan& plan);
// Floats of the scratch buffers: of the im2col matrix; of what a collective receives before it is added or a
// redistribution packs; of what collectives in the background receive.
struct ScratchFloats {
  std::int64_t workspace = 0, exchange = 0, background = 0;
};
ScratchFloats scratch_of(const Plan& plan, Coordinates at);

}  // namespace simtrain
