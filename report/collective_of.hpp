// The collective of a layer that a phase is.
#pragma once

#include "report/result.hpp"

namespace simtrain {

// Null for computing.
inline const CollectiveResult* collective_of(const LayerResult& layer, Phase phase) {
  if (computes(phase)) return nullptr;
  return &(layer.*kExchangesOfLayer[static_cast<std::size_t>(phase) - (kPhases - kExchangesOfLayer.size())]);
}

// Calls visit(phase, collective) for those of a layer, in the order of phases.
template <typename Visit>
void for_each_collective(const LayerResult& layer, const Visit& visit) {
  for (int number = 0; number < kPhases; ++number)
    if (const CollectiveResult* one = collective_of(layer, static_cast<Phase>(number)); one != nullptr)
      visit(static_cast<Phase>(number), *one);
}

}  // namespace simtrain
