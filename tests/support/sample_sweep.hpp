// The inputs of a small sweep: two batches on three grids of four ranks.
#pragma once

#include <string>

#include "base/digest.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

inline SweepInputs sample_inputs() {
  SweepInputs inputs;
  for (const char* option : kSweptOptions) inputs.space.dimensions.push_back({option, {std::string("the ") + option}});
  inputs.space.dimensions[1].values = {"64", "128"};
  inputs.space.grids = {{1, 4}, {2, 2}, {4, 1}};
  inputs.options = {{"iterations", "1"}, {"seed", "1"}, {"node-spread", "1"}};
  inputs.files = {{"profile 'p'", sha256_hex("p")}};
  return inputs;
}

}  // namespace simtrain
