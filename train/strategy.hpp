// How the layers of a network are split over the ranks: a kind and a grid for each, decided once, before the plan is
// built.
//
//   uniform                     every layer on --grid
//   conv-batch                  convolutions and what belongs to them on 1xP, the rest on --grid: section 2.4 of
//                               Gholami et al., arXiv 1712.04432, its figures 7 and 9
//   pair                        convolutions as in conv-batch, the rest on --grid, of which a layer that reads what an
//                               integrated linear one puts out is split by columns: two consecutive linear layers are
//                               a pair with one all-reduce between forward and backward (train/columns.hpp)
//   domain                      convolutions and what belongs to them domain parallel on S x P/S, the rest on --grid:
//                               its figure 10. S is the smallest divisor of P with a sample for each of P/S columns, so
//                               that P may exceed the batch; with S = 1 this is conv-batch
//   conv*:1x256; fc*:32x8       rules: PATTERN:[KIND:]GRID, separated by semicolons. A pattern is over the names of
//   conv*:domain:8x512          layers with weights, `*` any text and `?` any character; the first that matches wins,
//   fc7:columns:32x8            layers that none matches are on --grid. KIND is integrated; or domain: the grid's rows
//                               are then strips that images are cut into by height; or columns: they have columns of W
//   auto                        what a search finds to be the fastest, which puts rules in its place before a plan is
//                               made (train/search.hpp)
// Layers without weights belong to the layer whose output they take; what comes before the first layer with weights
// belongs to that one. A residual join is where its first input is. A flatten of images in strips belongs to the layer
// that reads it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "train/grid.hpp"
#include "train/network.hpp"

namespace simtrain {

// integrated: rows of W over Pr, samples over Pc (train/plan.hpp); 1 x P is pure batch, P x 1 pure model parallelism.
// domain: every rank has all of W; lines of images over the grid's rows, samples over its columns.
// columns: of linear layers, columns of W over Pr, samples over Pc (train/columns.hpp).
enum class LayerKind { integrated, domain, columns };
inline constexpr std::array<LayerKind, 3> kLayerKinds{LayerKind::integrated, LayerKind::domain, LayerKind::columns};
std::string_view name_of(LayerKind kind);

struct LayerStrategy {
  LayerKind kind = LayerKind::integrated;
  Grid grid;
  bool operator==(const LayerStrategy&) const = default;
};
std::string to_string(const LayerStrategy& split);  // "1x256", "domain:4x64": as in a rule

struct StrategyRule {
  std::string pattern;
  Grid grid;
  LayerKind kind = LayerKind::integrated;
  bool operator==(const StrategyRule&) const = default;
};

struct Strategy {
  enum class Kind { uniform, conv_batch, pair, domain, rules, automatic };
  Kind kind = Kind::uniform;
  std::vector<StrategyRule> rules = {};  // of Kind::rules, at least one
  bool operator==(const Strategy&) const = default;
};

// InputError naming `option` for text that is neither a known strategy nor rules.
Strategy parse_strategy(std::string_view option, std::string_view text);
std::string to_string(const Strategy& strategy);  // parse_strategy reads it back

// Where nothing can be searched for: InputError with `instead`, what is expected, when the strategy is auto.
void refuse_auto(const Strategy& strategy, const std::string& instead);

// By layer of the network. `grid`: --grid, whose P all grids must have. InputError when one has not, when a pattern
// matches no layer (with the nearest name), or only layers that earlier ones match; when a linear layer is to be domain
// parallel, or a convolution with fewer output rows than there are strips, or for columns those of check_columns()
// (train/columns.hpp). One strip is none, and columns of one part are all: integrated.
// Precondition: not Kind::automatic.
std::vector<LayerStrategy> decide(const Strategy& strategy, const Network& network, Grid grid, std::int64_t batch);

// What Strategy::Kind::domain puts convolutions on.
Grid domain_grid(std::int64_t processes, std::int64_t batch);

}  // namespace simtrain
