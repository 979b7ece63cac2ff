// Memory from which a kernel's operands are taken while it is measured, so that they lie where the trainer's do.
//
// What the operation before has just written (the im2col matrix, the activation that ReLU changes in place, the
// gradient that comes down) is hot: it is taken from the same place each time, and its size alone decides which cache
// holds it. Other operands were touched long ago: small ones (weights of a convolution, a batch of activations) are in
// the last-level cache, large ones (weights of a linear layer, activations of a convolution) have been driven out to
// memory since. So operands of up to kIm2colBytes rotate through a window of kWarmBytes, larger ones through the whole
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/kernels.hpp"

namespace simtrain {

inline constexpr std::int64_t kWarmBytes = 4 * kIm2colBytes;

class OperandRotation {
 public:
  // `floats` of memory, at least kWarmBytes; random values in [-1, 1) if `random`, else 0.
  OperandRotation(std::int64_t floats, bool random, std::uint64_t seed);

  // A place that is the same each time, so that what lies there is as close to the processor as its size allows: where
  // the trainer's previous operation wrote. It may overlap what next() returned.
  Buffer hot(std::int64_t floats);
  // The next place for an operand. Precondition: floats <= capacity(). Several operands of one call do not overlap as
  // long as together they fit.
  Buffer next(std::int64_t floats);
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }

 private:
  Buffer take(std::int64_t floats, std::int64_t window, std::int64_t& cursor);

  struct Release {
    void operator()(float* memory) const;
  };
  std::int64_t capacity_;
  std::unique_ptr<float, Release> memory_;
  std::int64_t warm_cursor_ = 0, cold_cursor_ = 0;
};

// "operands up to 4 MiB in a window of 16 MiB, larger ones in 512 MiB": for the certificate.
std::string describe_rotation(std::int64_t capacity_floats);

}  // namespace simtrain
