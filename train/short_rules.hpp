// How layers are split, as few rules as read well: "conv1:domain:2x128; conv*:1x256; fc*:32x8".
#pragma once

#include <string>
#include <vector>

#include "train/strategy.hpp"

namespace simtrain {

// Rules by which decide() (train/strategy.hpp) gives each of these layers, and no others, its split. `names`: of all
// layers with weights, in order. Layers whose names agree up to the first digit go under one pattern, with the split
// that most of them have; before it, those that differ, neighbours together where their names agree further.
Strategy short_rules(const std::vector<std::string>& names, const std::vector<LayerStrategy>& splits);

}  // namespace simtrain
