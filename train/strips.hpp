// Images cut by height into strips, one for each row of a grid, and the lines that windows over a strip look at. A line
// is a row of an image: rows are channels here.
//   Strips{.height = 7, .outputs = {7, 3}}                              the image itself: lines 0-2, 3-4, 5-6
//   Strips{.height = 7, .outputs = {7, 3}, .window = 3, .padding = 1}   what windows that put out those see: 0-3, 2-5,
//   4-6 Strips{.height = 7, .outputs = {3, 3}, .window = 3, .stride = 2}    0-2, 2-4, 4-6 Strips{.height = 2, .outputs
//   = {2, 3}}                              0, 1, none
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
