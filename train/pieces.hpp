// Long messages in pieces. A segment of 10 elements in pieces of at most 4: [0, 4) [4, 8) [8, 10).
#pragma once

#include <algorithm>

#include "train/schedule.hpp"

namespace simtrain {

// Calls visit(piece) for the consecutive non-empty pieces that make up the segment. Precondition: longest >= 1.
template <typename Visit>
void for_each_piece(Segment segment, std::int64_t longest, Visit visit) {
  const std::int64_t end = segment.offset + segment.count;
  for (std::int64_t at = segment.offset; at < end; at += longest) visit(Segment{at, std::min(longest, end - at)});
}

// Their number.
inline std::int64_t piece_count(const Segments& segments, std::int64_t longest) {
  std::int64_t pieces = 0;
  for (const Segment& segment : segments.part) pieces += (segment.count + longest - 1) / longest;
  return pieces;
}

// What two segments have in common; count 0 if nothing (the offset then lies within `of`).
inline Segment overlap(Segment of, Segment with) {
  const std::int64_t begin = std::clamp(with.offset, of.offset, of.offset + of.count);
  const std::int64_t end = std::clamp(with.offset + with.count, begin, of.offset + of.count);
  return {begin, end - begin};
}

}  // namespace simtrain
