// Training data as the trainer sees it: numbered samples of one shape, each with a class.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "train/network.hpp"

namespace simtrain {

class Dataset {
 public:
  virtual ~Dataset() = default;
  [[nodiscard]] virtual std::int64_t size() const = 0;
  // sample in [0, size()); feature in [0, channels*height*width), channel by channel, row by row.
  [[nodiscard]] virtual std::int64_t label(std::int64_t sample) const = 0;
  [[nodiscard]] virtual float value(std::int64_t sample, std::int64_t feature) const = 0;
  // The values of features [first, first + to.size()) at once.
  virtual void read(std::int64_t sample, std::int64_t first, std::span<float> to) const {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = value(sample, first + static_cast<std::int64_t>(i));
  }
};

// Data of any shape that a network can learn: every class has a prototype, a sample is its class's prototype with
// noise. Values depend on (seed, sample, feature) alone.
class SyntheticData final : public Dataset {
 public:
  // As many samples as the network's data set has.
  SyntheticData(const Network& network, std::uint64_t seed)
      : seed_(seed), features_(network.input.size()), classes_(network.classes()), size_(network.dataset_images) {}

  [[nodiscard]] std::int64_t size() const override { return size_; }
  [[nodiscard]] std::int64_t label(std::int64_t sample) const override {
    return static_cast<std::int64_t>(random_bits(seed_, kLabels, static_cast<std::uint64_t>(sample)) %
                                     static_cast<std::uint64_t>(classes_));
  }
  // In [-1.5, 1.5).
  [[nodiscard]] float value(std::int64_t sample, std::int64_t feature) const override {
    return value(sample, label(sample), feature);
  }
  void read(std::int64_t sample, std::int64_t first, std::span<float> to) const override {
    const std::int64_t its_class = label(sample);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = value(sample, its_class, first + static_cast<std::int64_t>(i));
  }

 private:
  [[nodiscard]] float value(std::int64_t sample, std::int64_t its_class, std::int64_t feature) const {
    const auto f = static_cast<std::uint64_t>(feature), width = static_cast<std::uint64_t>(features_);
    const float prototype = random_symmetric(seed_, kPrototypes, static_cast<std::uint64_t>(its_class) * width + f);
    return prototype + 0.5F * random_symmetric(seed_, kNoise, static_cast<std::uint64_t>(sample) * width + f);
  }

  // Streams of the generator; weights use those from 0 on, shuffling 1'000'010.
  static constexpr std::uint64_t kLabels = 1'000'001, kPrototypes = 1'000'002, kNoise = 1'000'003;
  std::uint64_t seed_;
  std::int64_t features_, classes_, size_;
};

// Images and labels in the IDX format of MNIST (http://yann.lecun.com/exdb/mnist), plain or gzip. Pixels become
// value/127.5 - 1, in [-1, 1].
class IdxData final : public Dataset {
 public:
  // Reads FOLDER/PREFIX-images-idx3-ubyte[.gz] and FOLDER/PREFIX-labels-idx1-ubyte[.gz]; prefix "train" or "t10k".
  // InputError naming the file for one that is missing, truncated, too long, of another kind or shape than the
  // network's input, for labels that are no class of the network, and for counts of images and labels that differ.
  IdxData(const std::string& folder, const std::string& prefix, const Network& network);

  [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(labels_.size()); }
  [[nodiscard]] std::int64_t label(std::int64_t sample) const override {
    return labels_[static_cast<std::size_t>(sample)];
  }
  [[nodiscard]] float value(std::int64_t sample, std::int64_t feature) const override {
    return brightness(pixels_[static_cast<std::size_t>(sample * features_ + feature)]);
  }
  void read(std::int64_t sample, std::int64_t first, std::span<float> to) const override {
    const std::uint8_t* pixels = &pixels_[static_cast<std::size_t>(sample * features_ + first)];
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = brightness(pixels[i]);
  }

 private:
  static float brightness(std::uint8_t pixel) { return static_cast<float>(pixel) / 127.5F - 1.0F; }

  std::int64_t features_;
  std::vector<std::uint8_t> pixels_, labels_;
};

// The order in which a job meets the samples. Iteration i of batch B takes positions [i*B, (i+1)*B) of an endless list:
// epoch after epoch, each a permutation of its own, made of the seed alone; without shuffling the samples in their
// order.
class SampleOrder {
 public:
  SampleOrder(std::int64_t samples, bool shuffled, std::uint64_t seed);
  // The sample at a position >= 0. Cheap while positions stay within an epoch; going to another epoch costs O(samples).
  std::int64_t at(std::int64_t position);

 private:
  void shuffle(std::int64_t epoch);

  std::int64_t samples_;
  bool shuffled_;
  std::uint64_t seed_;
  std::int64_t epoch_ = -1;
  std::vector<std::int64_t> order_;
};

// Initial parameters of a layer, by (seed, report row, row of W, column of W) alone. Uniform with the variance of He et
// al., ICCV 2015: limit sqrt(6 / inputs). Biases start at 0.
float initial_weight(std::uint64_t seed, int report_row, std::int64_t row, std::int64_t column,
                     std::int64_t inputs_per_row);

}  // namespace simtrain
