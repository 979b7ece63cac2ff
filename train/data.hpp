// Synthetic training data of any shape that a network can learn: every class has a prototype, a sample is its class's
// prototype with noise. Values depend on (seed, sample, feature) alone, not on the grid.
#pragma once

#include <cstdint>

#include "base/random.hpp"
#include "train/network.hpp"

namespace simtrain {

class SyntheticData {
 public:
  SyntheticData(const Network& network, std::uint64_t seed)
      : seed_(seed), features_(network.input.size()), classes_(network.classes()), samples_(network.dataset_images) {}

  // Samples are numbered from 0 and repeat after an epoch.
  [[nodiscard]] std::int64_t label(std::int64_t sample) const {
    return static_cast<std::int64_t>(random_bits(seed_, kLabels, index(sample)) % static_cast<std::uint64_t>(classes_));
  }
  // Feature f of a sample, f in [0, channels*height*width); in [-1.5, 1.5).
  [[nodiscard]] float value(std::int64_t sample, std::int64_t feature) const {
    const auto f = static_cast<std::uint64_t>(feature), width = static_cast<std::uint64_t>(features_);
    const float prototype = random_symmetric(seed_, kPrototypes, static_cast<std::uint64_t>(label(sample)) * width + f);
    return prototype + 0.5F * random_symmetric(seed_, kNoise, index(sample) * width + f);
  }

 private:
  [[nodiscard]] std::uint64_t index(std::int64_t sample) const { return static_cast<std::uint64_t>(sample % samples_); }

  // Streams of the generator; weights use those from 0 on (train/initial_weights.hpp).
  static constexpr std::uint64_t kLabels = 1'000'001, kPrototypes = 1'000'002, kNoise = 1'000'003;
  std::uint64_t seed_;
  std::int64_t features_, classes_, samples_;
};

// Initial parameters of a layer, by (seed, report row, row of W, column of W) alone. Uniform with the variance of He et
// al., ICCV 2015: limit sqrt(6 / inputs). Biases start at 0.
float initial_weight(std::uint64_t seed, int report_row, std::int64_t row, std::int64_t column,
                     std::int64_t inputs_per_row);

}  // namespace simtrain
