#include "train/dataset.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace simtrain {

SampleOrder::SampleOrder(std::int64_t samples, bool shuffled, std::uint64_t seed)
    : samples_(samples), shuffled_(shuffled), seed_(seed) {}

std::int64_t SampleOrder::at(std::int64_t position) {
  if (!shuffled_) return position % samples_;
  if (position / samples_ != epoch_) shuffle(position / samples_);
  return order_[static_cast<std::size_t>(position % samples_)];
}

// Fisher and Yates, with our own generator: std::shuffle differs between libraries.
void SampleOrder::shuffle(std::int64_t epoch) {
  constexpr std::uint64_t kShuffles = 1'000'010;
  epoch_ = epoch;
  order_.resize(static_cast<std::size_t>(samples_));
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  const std::uint64_t stream = kShuffles + static_cast<std::uint64_t>(epoch);
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random_bits(seed_, stream, i) % i]);
}

float initial_weight(std::uint64_t seed, int report_row, std::int64_t row, std::int64_t column,
                     std::int64_t inputs_per_row) {
  const float limit = std::sqrt(6.0F / static_cast<float>(inputs_per_row));
  const auto index = static_cast<std::uint64_t>(row * inputs_per_row + column);
  return limit * random_symmetric(seed, static_cast<std::uint64_t>(report_row), index);
}

}  // namespace simtrain
