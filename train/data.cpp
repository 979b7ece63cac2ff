#include "train/data.hpp"

#include <cmath>

namespace simtrain {

float initial_weight(std::uint64_t seed, int report_row, std::int64_t row, std::int64_t column,
                     std::int64_t inputs_per_row) {
  const float limit = std::sqrt(6.0F / static_cast<float>(inputs_per_row));
  const auto index = static_cast<std::uint64_t>(row * inputs_per_row + column);
  return limit * random_symmetric(seed, static_cast<std::uint64_t>(report_row), index);
}

}  // namespace simtrain
