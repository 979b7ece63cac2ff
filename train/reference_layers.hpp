// The layers of the serial reference (train/reference.hpp): plain loops over one sample, or over the batch where the
// layer looks at all of it. Images are [channels][height][width].
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/network.hpp"

namespace simtrain::reference {

using Values = std::vector<double>;  // of one sample
using Batch = std::vector<Values>;

// By weighted layer: rows x inputs_per_row; one bias per row; of a batch normalisation that follows the rows' scales,
// then shifts. Empty where a layer has none.
struct Parameters {
  Values weights, biases, normalisation;
};

inline std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Outputs start at 0 (forward) and are added to; so are gradients.
void forward_weighted(const Layer& layer, const Parameters& parameters, const Values& x, Values& y);
void backward_weighted(const Layer& layer, const Parameters& parameters, Parameters& gradients, const Values& x,
                       const Values& dy, Values& dx);
void forward_pool(const Layer& layer, const Values& x, Values& y);
void backward_pool(const Layer& layer, const Values& x, const Values& dy, Values& dx);
void normalise(const Layer& layer, const Values& parameters, const Batch& x, Batch& y);
void normalise_gradient(const Layer& layer, const Values& parameters, const Batch& x, const Batch& dy, Batch& dx,
                        Values& gradient);

// 0, or the factor of an element that dropout lets through. index: of the layer; sample: its place in the batch.
double dropout_factor(const Layer& layer, std::uint64_t seed, std::size_t index, std::int64_t iteration,
                      std::size_t sample, std::size_t feature);

Values softmax(const Values& logits);

}  // namespace simtrain::reference
