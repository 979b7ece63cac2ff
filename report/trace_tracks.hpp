// Which slices of a rank stand on one track of a trace. On a track slices are disjoint, or one lies within the other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/timeline.hpp"

namespace simtrain {

struct TrackEvent {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::size_t index = 0;  // of the rank's slices or messages
  bool message = false;
};

struct Track {
  std::string name;
  std::vector<TrackEvent> events;  // by begin; one that lies within another comes after it
};

// Rounded to whole ns. Times that rounding of sums made overlap by 2 ns or less do not.
std::vector<Track> tracks_of(const TimelineRank& rank);

}  // namespace simtrain
