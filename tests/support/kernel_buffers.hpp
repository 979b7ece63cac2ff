// Buffers with contents, for tests of kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "kernels/kernels.hpp"

namespace simtrain {

using Floats = std::vector<float>;

// Values in [-1, 1), different for each stream.
inline Floats random_floats(std::int64_t count, std::uint64_t stream) {
  Floats values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = random_symmetric(7, stream, i);
  return values;
}

// What operations must overwrite: a value that none of them computes.
inline Floats garbage(std::int64_t count) { return Floats(static_cast<std::size_t>(count), 12345.0F); }

inline Buffer buffer(Floats& values) { return {values.data(), static_cast<std::int64_t>(values.size()), false}; }

}  // namespace simtrain
