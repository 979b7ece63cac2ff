// Executes single primitive calls on operands of its own, for measuring.
#pragma once

#include <vector>

#include "calibrate/rotation.hpp"
#include "kernels/operation.hpp"

namespace simtrain {

// The nearest call that the workbench can execute: pooling, flattening, softmax and im2col need whole rows, planes or
// classes. Any other call comes back unchanged.
Call executable(const Call& call);

// Floats that the call reads, and that it writes.
struct CallFloats {
  std::int64_t in, out;
};
CallFloats floats_of(const Call& call);

// Whether a workbench with memories of so many floats can execute the call.
bool fits(const Call& call, std::int64_t floats);

class Workbench {
 public:
  // floats: the size of each of its two memories, of inputs and of outputs; calls up to that size can be executed.
  // threads: of the BLAS; our own loops take one.
  Workbench(std::int64_t floats, std::uint64_t seed, int threads = 1);

  [[nodiscard]] bool fits(const Call& call) const { return simtrain::fits(call, inputs_.capacity()); }
  // Seconds of `times` executions together, each on the next operands: processor time of one thread, wall-clock time of
  // several. Precondition: call ==
  // executable(call), fits.
  double time_s(const Call& call, int times);
  [[nodiscard]] std::int64_t capacity() const { return inputs_.capacity(); }

 private:
  void execute_once(const Call& call);
  void execute_product(const Call& call);
  void execute_stream(const Call& call);
  void execute_im2col(const Call& call);

  int threads_;
  OperandRotation inputs_, outputs_;
  std::vector<float> labels_;
};

}  // namespace simtrain
