// Merged detail: rounds of a collective that send to the same neighbours take place as one, in simulations of many
// ranks.
//
//   - One message has the bytes of all of them, envelopes included. The latencies that it lacks pass afterwards.
//   - Additions pass first, as many and as long as in the schedule.
//   - The members of a ring start and end together: in message by message nobody gets far ahead of the last one, since
//     each round needs the neighbours' round before it. Blocks of unequal length take as long as the longest, which the
//     rounds follow from neighbour to neighbour.
//   - Where no flow of a ring shares a link with another, its time is a formula and no message is simulated.
//   - Rings whose flows do not share links alike, and rings on shared links whose blocks are of unequal length, stay
//     message by message: there messages get out of step, and in each other's way less than long flows do.
// p = 4, ring, all-reduce of 400 floats: 6 messages of 100 floats to the right become 1 of 600, then 5 latencies.
// p = 4, Rabenseifner: 4 messages of 200, 100, 100, 200 floats become 2 of 400 and 200, then 2 latencies.
// How far that is from message by message, and when it is good enough: docs/decisions/0008-merged-detail.md.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "train/collective.hpp"

namespace simtrain {

// How a collective's messages are merged. ring: all of its rounds are alike. pairs: rounds i and last - i have the same
// partner and carry the same blocks, once to be added and once to be stored. none: no two rounds are alike.
enum class Merge { none, ring, pairs };
Merge merge_of(CollectiveOp operation, Algorithm algorithm, const Partition& blocks);

// What member `me` sends when every message is, without making the rounds of a ring one by one.
CollectiveTraffic traffic_of(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me,
                             std::int64_t longest_message_floats);

// Calls visit(floats, times) for the additions of member `me`.
void for_each_addition(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me,
                       const std::function<void(std::int64_t floats, std::int64_t times)>& visit);

// With how many flows of rings, of this and other groups, those of a ring share the busiest link of their ways.
enum class Sharing { none, equal, unequal };  // equal: each of them with as many

// The seam: what the simulator does for merged rounds.
class RoundMerging {
 public:
  RoundMerging() = default;
  RoundMerging(const RoundMerging&) = delete;
  RoundMerging& operator=(const RoundMerging&) = delete;
  virtual ~RoundMerging() = default;

  [[nodiscard]] virtual Sharing sharing(const Group& group) const = 0;
  // Called by every member with the same arguments but the last; returns when all have called. `round_bytes` are those
  // of the longest block, which each of the rounds takes as long as; `mine` is what this member sends to the next in
  // all of them. True: the rounds are over. False: the members are to send rounds * round_bytes themselves, and then to
  // call end_ring.
  virtual bool start_ring(const Group& group, int rounds, std::int64_t round_bytes, const CollectiveTraffic& mine) = 0;
  // Passes `latencies` of the way to the next member or from the one before, whichever is longer, and returns when all
  // members have called it and got so far.
  virtual void end_ring(const Group& group, int latencies) = 0;
  // Passes the latencies between this rank and each of the partners, one after the other.
  virtual void pass_latencies(int rank, const std::vector<int>& partners) = 0;
  // What a message has beyond its floats, in floats.
  [[nodiscard]] virtual std::int64_t envelope_floats() const = 0;
};

}  // namespace simtrain
