#include "train/merged.hpp"

#include <bit>

namespace simtrain {

namespace {

bool reduces(CollectiveOp operation) { return operation != CollectiveOp::all_gather; }

}  // namespace

Merge merge_of(CollectiveOp operation, Algorithm algorithm, const Partition& blocks) {
  if (algorithm == Algorithm::ring && blocks.parts > 1) return Merge::ring;
  const bool power_of_two = std::has_single_bit(static_cast<std::uint64_t>(blocks.parts));
  return operation == CollectiveOp::all_reduce && algorithm == Algorithm::rabenseifner && power_of_two ? Merge::pairs
                                                                                                       : Merge::none;
}

CollectiveTraffic traffic_of(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me,
                             std::int64_t longest_message_floats) {
  CollectiveTraffic traffic;
  const auto add = [&](std::int64_t floats, std::int64_t times) {
    traffic.bytes_sent += times * floats * static_cast<std::int64_t>(sizeof(float));
    traffic.messages += times * ((floats + longest_message_floats - 1) / longest_message_floats);
  };
  if (algorithm == Algorithm::ring) {
    // Turns of reducing send all blocks but my own, turns of gathering all but my successor's (train/schedule.cpp).
    const std::int64_t p = blocks.parts, longer = blocks.total % p;
    for (const bool gathering : {false, true}) {
      if (gathering ? operation == CollectiveOp::reduce_scatter : !reduces(operation)) continue;
      add(blocks.length(0), longer);
      add(blocks.length(p - 1), p - longer);
      add(blocks.length(gathering ? (me + 1) % p : me), -1);
    }
    return traffic;
  }
  const int rounds = round_count(algorithm, operation, static_cast<int>(blocks.parts));
  for (int i = 0; i < rounds; ++i)
    for (const Segment& segment : round_of(algorithm, operation, blocks, me, i).send.part) add(segment.count, 1);
  return traffic;
}

void for_each_addition(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me,
                       const std::function<void(std::int64_t, std::int64_t)>& visit) {
  if (!reduces(operation)) return;
  const auto some = [&](std::int64_t floats, std::int64_t times) {
    if (floats > 0 && times > 0) visit(floats, times);
  };
  if (algorithm == Algorithm::ring) {  // to every block but that of my predecessor
    const std::int64_t p = blocks.parts, longer = blocks.total % p, predecessor = (me + p - 1) % p;
    some(blocks.length(0), longer - (predecessor < longer ? 1 : 0));
    some(blocks.length(p - 1), p - longer - (predecessor < longer ? 0 : 1));
    return;
  }
  const int rounds = round_count(algorithm, operation, static_cast<int>(blocks.parts));
  for (int i = 0; i < rounds; ++i) {
    const Round round = round_of(algorithm, operation, blocks, me, i);
    if (!round.reduce) continue;
    for (const Segment& segment : round.receive.part) some(segment.count, 1);
  }
}

}  // namespace simtrain
