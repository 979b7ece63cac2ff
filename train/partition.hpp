// How n things are cut into p contiguous parts, evenly or not: the first n mod p parts have one more.
//   Partition{.total = 7, .parts = 3}            -> lengths 3 2 2, offsets 0 3 5
//   Partition{.total = 2, .parts = 3}            -> lengths 1 1 0, offsets 0 1 2
//   Partition{.total = 7, .parts = 3, .unit = 4} -> the same parts, measured in units of 4: lengths 12 8 8
#pragma once

#include <algorithm>
#include <cstdint>

namespace simtrain {

struct Partition {
  std::int64_t total = 0;  // things
  std::int64_t parts = 1;
  std::int64_t unit = 1;  // elements per thing; all results below are in elements

  [[nodiscard]] std::int64_t offset(std::int64_t part) const {
    return unit * (part * (total / parts) + std::min(part, total % parts));
  }
  [[nodiscard]] std::int64_t length(std::int64_t part) const {
    return unit * (total / parts + (part < total % parts ? 1 : 0));
  }
  [[nodiscard]] std::int64_t size() const { return unit * total; }
  // The part that has an element. Precondition: 0 <= element < size().
  [[nodiscard]] std::int64_t part_of(std::int64_t element) const {
    const std::int64_t thing = element / unit, shorter = total / parts, longer = total % parts;
    const std::int64_t in_longer = longer * (shorter + 1);
    return thing < in_longer ? thing / (shorter + 1) : longer + (thing - in_longer) / shorter;
  }
  // The same parts with every thing `factor` times as many elements.
  [[nodiscard]] Partition scaled(std::int64_t factor) const { return {total, parts, unit * factor}; }
  bool operator==(const Partition&) const = default;
};

}  // namespace simtrain
