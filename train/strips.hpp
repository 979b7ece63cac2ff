// Images cut by height into strips, one for each row of a grid, and the lines that windows over a strip look at. A line
// is a row of an image: rows are channels here.
// Of 7 lines, as {height, {lines put out, strips}, window, stride, padding}:
//   {7, {7, 3}}            the image itself             lines 0-2, 3-4, 5-6
//   {7, {7, 3}, 3, 1, 1}   what windows of three see    lines 0-3, 2-5, 4-6
//   {7, {3, 3}, 3, 2, 0}   with a stride of two         lines 0-2, 2-4, 4-6
//   {7, {2, 3}, 3, 4, 0}   two outputs, three strips    lines 0-2, 4-6, none
// First lines and last ones never fall from strip to strip; a strip that puts out nothing looks at nothing.
#pragma once

#include <algorithm>
#include <cstdint>

#include "train/partition.hpp"

namespace simtrain {

// Consecutive lines of an image.
struct Lines {
  std::int64_t first = 0, count = 0;
  [[nodiscard]] std::int64_t end() const { return first + count; }
  bool operator==(const Lines&) const = default;
};

struct Strips {
  std::int64_t height = 0;  // of the image; 0: it is not cut
  Partition outputs;        // lines put out, over the strips
  std::int64_t window = 1, stride = 1, padding = 0;

  [[nodiscard]] bool cut() const { return height > 0; }
  [[nodiscard]] int count() const { return static_cast<int>(outputs.parts); }
  [[nodiscard]] Lines of(int strip) const {
    const std::int64_t first = outputs.offset(strip), end = first + outputs.length(strip);
    if (first == end) return {height, 0};
    const std::int64_t top = std::clamp<std::int64_t>(first * stride - padding, 0, height);
    return {top, std::clamp((end - 1) * stride - padding + window, top, height) - top};
  }
  // The first strip that ends below a line, the last one with lines that begins above it: between them are those that
  // have some of the lines [line, end). Precondition: 0 <= line < end <= height.
  [[nodiscard]] int first_beyond(std::int64_t line) const;
  [[nodiscard]] int last_before(std::int64_t end) const;
  bool operator==(const Strips&) const = default;
};

// Of the outputs of a strip (counted from its first), those whose windows see no lines but the strip's own: the strip's
// part of `image`, which is not windowed. All others are above or below; if there are none, all are above.
Lines interior_of(const Strips& windows, const Strips& image, int strip);

}  // namespace simtrain
