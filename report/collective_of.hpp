// The collective of a layer that a phase is.
#pragma once

#include "report/result.hpp"

namespace simtrain {

// Null for computing.
inline const CollectiveResult* collective_of(const LayerResult& layer, Phase phase) {
  switch (phase) {
    case Phase::forward:
    case Phase::backward:
    case Phase::update:
      return nullptr;
    case Phase::all_gather:
      return &layer.all_gather;
    case Phase::reduce_data:
      return &layer.reduce_data;
    case Phase::reduce_weights:
      return &layer.reduce_weights;
    case Phase::redistribute:
      return &layer.redistribute;
    case Phase::halo:
      return &layer.halo;
  }
  return nullptr;
}

// Calls visit(phase, collective) for those of a layer, in the order of phases.
template <typename Visit>
void for_each_collective(const LayerResult& layer, const Visit& visit) {
  for (int number = 0; number < kPhases; ++number)
    if (const CollectiveResult* one = collective_of(layer, static_cast<Phase>(number)); one != nullptr)
      visit(static_cast<Phase>(number), *one);
}

}  // namespace simtrain
