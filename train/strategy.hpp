// How the layers of a network are split over the ranks: a kind and a grid for each, decided once, before the plan is
// built.
//
//   uniform                     every layer on --grid
//   conv-batch                  convolutions and what belongs to them on 1xP, the rest on --grid: section 2.4 of
//                               Gholami et al., arXiv 1712.04432, its figures 7 and 9
//   conv*:1x256; fc*:32x8       rules: PATTERN:GRID, separated by semicolons. A pattern is over the names of layers
//   with
//                               weights, `*` any text and `?` any character; the first that matches wins, layers that
//                               none matches are on --grid
// Layers without weights belong to the layer whose output they take; what comes before the first layer with weights
// belongs to that one. A residual join is where its first input is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "train/grid.hpp"
#include "train/network.hpp"

namespace simtrain {

// integrated: rows of W over Pr, samples over Pc (train/plan.hpp); 1 x P is pure batch, P x 1 pure model parallelism.
enum class LayerKind { integrated };

struct LayerStrategy {
  LayerKind kind = LayerKind::integrated;
  Grid grid;
  bool operator==(const LayerStrategy&) const = default;
};

struct StrategyRule {
  std::string pattern;
  Grid grid;
  bool operator==(const StrategyRule&) const = default;
};

struct Strategy {
  enum class Kind { uniform, conv_batch, rules };
  Kind kind = Kind::uniform;
  std::vector<StrategyRule> rules = {};  // of Kind::rules, at least one
  bool operator==(const Strategy&) const = default;
};

// InputError naming `option` for text that is neither a known strategy nor rules.
Strategy parse_strategy(std::string_view option, std::string_view text);
std::string to_string(const Strategy& strategy);  // parse_strategy reads it back

// By layer of the network. `grid`: --grid, whose P all grids must have. InputError when one has not, when a pattern
// matches no layer (with the nearest name), or only layers that earlier ones match.
std::vector<LayerStrategy> decide(const Strategy& strategy, const Network& network, Grid grid);

}  // namespace simtrain
