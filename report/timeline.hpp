// What some ranks of a job did in one of its timed iterations: a value. Times are seconds since the first of these
// ranks began the iteration; natively each rank's since its own begin, since clocks of different hosts are not the
// same.
#pragma once

#include <cstdint>
#include <vector>

namespace simtrain {

// Computing that is part of an exchange: of what arrived, and of copies into messages and out of them.
inline constexpr int kAdding = -1, kPacking = -2;

// A stretch in which a layer's operations followed each other without a gap, or an exchange of a layer.
struct TimelineSlice {
  double begin_s = 0, end_s = 0;
  int layer = 0;          // of Result::layers; of a bucket its first
  int doing = 0;          // a Phase by its number (report/result.hpp), kAdding or kPacking
  int bucket = -1;        // >= 0: the exchange is of all layers of Timeline::buckets[bucket]
  double bytes_sent = 0;  // of an exchange
  bool beside = false;    // an exchange beside which the rank may have computed
  bool operator==(const TimelineSlice&) const = default;
};

// What one round of a collective sends to another rank, or receives from it. sent: from when it is posted until it has
// left; received: from when it is waited for until it is there. The i-th that rank a sends to b, of those in the
// background or of the others, is the i-th that b receives from a.
struct TimelineMessage {
  double begin_s = 0, end_s = 0;
  int peer = 0;
  bool sent = false;
  bool background = false;    // of a collective in the background (train/overlap.hpp)
  std::int64_t bytes = 0;     // without envelopes; at least 1
  std::int64_t messages = 1;  // that carry them, one after the other
  bool operator==(const TimelineMessage&) const = default;
};

struct TimelineRank {
  int rank = 0, row = 0, column = 0;                 // of the job's grid
  double begin_s = 0, end_s = 0;                     // of the iteration
  std::vector<TimelineSlice> slices;                 // in the order in which they ended
  std::vector<TimelineMessage> messages;             // likewise
  bool messages_left_out = false, left_out = false;  // since there would be too many events
  bool operator==(const TimelineRank&) const = default;
};

struct Timeline {
  static constexpr std::int64_t kMostEvents = 200'000;  // slices and messages, together

  int iteration = 1;                      // of the timed ones, from 1
  std::vector<std::vector<int>> buckets;  // layers whose weight gradients are all-reduced together
  std::vector<TimelineRank> ranks;        // by rank
  std::int64_t most_events = kMostEvents;
  bool operator==(const Timeline&) const = default;
};

// Leaves out messages of the last rank that has any, again and again, until there are at most `most_events`; when that
// is not enough, ranks, from the last one on, but for the first. Returns how many there are.
std::int64_t keep_within_limit(Timeline& timeline);

}  // namespace simtrain
