// Windows that slide over an image row (or column): where they are inside the image.
#pragma once

#include <algorithm>
#include <cstdint>

namespace simtrain {

struct OutputRange {
  std::int64_t first, end;  // first <= end; empty when equal
};

// The outputs o in [0, outputs) whose input index o*stride + offset lies in [0, inputs). offset = position in the
// window minus padding.
//   inputs 5, outputs 5, stride 1, offset -1 -> [1, 5): output 0 looks at the padding
inline OutputRange outputs_inside(std::int64_t outputs, std::int64_t inputs, std::int64_t stride, std::int64_t offset) {
  const std::int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const std::int64_t end = offset >= inputs ? 0 : (inputs - 1 - offset) / stride + 1;
  const std::int64_t clipped = std::min(first, outputs);
  return {clipped, std::max(clipped, std::min(end, outputs))};
}

}  // namespace simtrain
