// The schedules. Three all-gathers are written out; each brings every block to every member exactly once, so that the
// same messages run backwards, with sender and receiver exchanged and arrivals added, are a reduce-scatter: the tree
// along which block b spreads from member b becomes the tree along which its sum comes together at member b. An
// all-reduce is the one after the other, except for recursive doubling, which exchanges the whole array.
#include "train/schedule.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.hpp"

namespace simtrain {

namespace {

int floor_log2(int p) { return std::bit_width(static_cast<unsigned>(p)) - 1; }
int ceil_log2(int p) { return std::bit_width(static_cast<unsigned>(p - 1)); }

// Blocks first, first + 1, ..., first + count - 1, numbered modulo p. 0 <= first < p, 0 <= count <= p.
Segments segments_of(const Partition& blocks, std::int64_t first, std::int64_t count) {
  const std::int64_t begin = blocks.offset(first), last = first + count;
  if (last <= blocks.parts) return {{{{begin, blocks.offset(last) - begin}, {}}}};
  return {{{{begin, blocks.size() - begin}, {0, blocks.offset(last - blocks.parts)}}}};
}

// Both ends of a message know its length, so that neither waits for an empty one.
Round without_empty_sides(Round round) {
  if (round.send.count() == 0) round.send_to = -1, round.send = {};
  if (round.receive.count() == 0) round.receive_from = -1, round.receive = {};
  return round;
}

Round backwards(const Round& gather) {
  return {.send_to = gather.receive_from,
          .receive_from = gather.send_to,
          .send = gather.receive,
          .receive = gather.send,
          .reduce = true};
}

// ---- ring ----

// Turns 0 to p-2 are a reduce-scatter, turns p-1 to 2p-3 an all-gather; together an all-reduce. A block travels from
// neighbour to neighbour: what a member receives in one turn it sends in the next. p = 3, blocks sent by 0, 1, 2:
//   turn 0: 2 0 1   turn 1: 1 2 0 (now member i has the sum of block i)   turn 2: 0 1 2   turn 3: 2 0 1
Round ring_turn(const Partition& blocks, int me, int turn) {
  const int p = static_cast<int>(blocks.parts);
  const int sent = (me + 2 * p - 1 - turn) % p;  // turn <= 2p-3, so that the dividend is positive
  const int received = sent == 0 ? p - 1 : sent - 1;
  return {.send_to = me + 1 == p ? 0 : me + 1,
          .receive_from = me == 0 ? p - 1 : me - 1,
          .send = segments_of(blocks, sent, 1),
          .receive = segments_of(blocks, received, 1),
          .reduce = turn < p - 1};
}

// ---- recursive doubling ----

// p members act as q = 2^floor(log p) virtual ones: the first 2(p-q) members fold in neighbouring pairs, whose even
// member acts for both and whose odd member only takes part in an extra first and last round. Since the members of a
// pair are neighbours, consecutive virtual members own consecutive blocks. p = 6, q = 4:
//   members and blocks   0 1 | 2 3 | 4 | 5
//   virtual member        0     1    2   3
struct Folding {
  int virtuals, pairs;

  explicit Folding(int p) : virtuals(1 << floor_log2(p)), pairs(p - virtuals) {}
  [[nodiscard]] bool any() const { return pairs > 0; }
  [[nodiscard]] bool paired(int member) const { return member < 2 * pairs; }
  [[nodiscard]] bool absorbed(int member) const { return paired(member) && member % 2 == 1; }
  [[nodiscard]] int virtual_of(int member) const { return paired(member) ? member / 2 : member - pairs; }
  // The member that acts for virtual member v, which is also the number of v's first block.
  [[nodiscard]] int first(int v) const { return v + std::min(v, pairs); }

  [[nodiscard]] int rounds() const { return floor_log2(virtuals) + (any() ? 2 : 0); }
  [[nodiscard]] bool folds(int round) const { return any() && round == 0; }
  [[nodiscard]] bool unfolds(int round) const { return any() && round == rounds() - 1; }
  // How far apart the virtual members are that talk in a round between these two: 1, 2, 4, ...
  [[nodiscard]] int distance(int round) const { return 1 << (any() ? round - 1 : round); }
};

// The extra round of member `me`: its pair's odd member sends to the even one (`to_even`) or the other way round.
Round within_pair(const Folding& folding, int me, bool to_even, const Segments& segments) {
  if (!folding.paired(me)) return {};
  const bool sends = folding.absorbed(me) == to_even;
  return sends ? Round{.send_to = me ^ 1, .send = segments} : Round{.receive_from = me ^ 1, .receive = segments};
}

// Pairs first bring the odd member's block to the even one and last all other blocks to the odd one; in between virtual
// member v, which holds an aligned run of `distance` virtual members, swaps runs with v xor distance.
Round doubling_gather(const Partition& blocks, int me, int round) {
  const int p = static_cast<int>(blocks.parts);
  const Folding folding(p);
  const int odd = me | 1;
  if (folding.folds(round)) return within_pair(folding, me, true, segments_of(blocks, odd % p, 1));
  if (folding.unfolds(round)) return within_pair(folding, me, false, segments_of(blocks, (odd + 1) % p, p - 1));
  if (folding.absorbed(me)) return {};
  const int distance = folding.distance(round), v = folding.virtual_of(me), partner = v ^ distance;
  const auto run_of = [&](int member) {
    const int begin = member & ~(distance - 1), first = folding.first(begin);
    return segments_of(blocks, first, folding.first(begin + distance) - first);
  };
  const int peer = folding.first(partner);
  return {.send_to = peer, .receive_from = peer, .send = run_of(v), .receive = run_of(partner)};
}

// All-reduce of short arrays: everything to everyone at distance 1, 2, 4, ..., with the same folding. Both partners of
// an exchange add the same two numbers, so that all members end with the same bits.
Round doubling_exchange(const Partition& blocks, int me, int round) {
  const Folding folding(static_cast<int>(blocks.parts));
  const Segments whole = segments_of(blocks, 0, blocks.parts);
  if (folding.unfolds(round)) return within_pair(folding, me, false, whole);
  Round exchange;
  if (folding.folds(round)) {
    exchange = within_pair(folding, me, true, whole);
  } else if (!folding.absorbed(me)) {
    const int peer = folding.first(folding.virtual_of(me) ^ folding.distance(round));
    exchange = {.send_to = peer, .receive_from = peer, .send = whole, .receive = whole};
  }
  exchange.reduce = true;
  return exchange;
}

// ---- Bruck ----

// With `distance` = 2^round, member i holds the blocks i, ..., i + distance - 1 (modulo p) and receives the next ones
// from i + distance: as many again, in the last round as many as still lack. Blocks land in place, so that the final
// rotation of the published algorithm is not needed; a run that passes the end of the array is two segments.
Round bruck_gather(const Partition& blocks, int me, int round) {
  const int p = static_cast<int>(blocks.parts);
  const int distance = 1 << round, count = std::min(distance, p - distance);
  const int ahead = (me + distance) % p;
  return {.send_to = (me + p - distance) % p,
          .receive_from = ahead,
          .send = segments_of(blocks, me, count),
          .receive = segments_of(blocks, ahead, count)};
}

// ---- putting them together ----

int gather_rounds(Algorithm algorithm, int p) {
  switch (algorithm) {
    case Algorithm::ring:
      return p - 1;
    case Algorithm::recursive_doubling:
    case Algorithm::rabenseifner:
      return Folding(p).rounds();
    case Algorithm::bruck:
      return ceil_log2(p);
    case Algorithm::mpi:
    case Algorithm::automatic:
      break;
  }
  SIMTRAIN_INVARIANT(false, "no schedule for algorithm " + std::string(name_of(algorithm)));
}

// Round `round` of a reduce-scatter followed by an all-gather of `rounds` rounds each.
Round reduce_then_gather(Algorithm algorithm, const Partition& blocks, int me, int round, int rounds) {
  if (algorithm == Algorithm::ring) return ring_turn(blocks, me, round);  // forwards both times: one direction of links
  const auto gather = algorithm == Algorithm::bruck ? bruck_gather : doubling_gather;
  if (round < rounds) return backwards(gather(blocks, me, rounds - 1 - round));
  return gather(blocks, me, round - rounds);
}

bool exchanges_whole_array(Algorithm algorithm, CollectiveOp operation) {
  return algorithm == Algorithm::recursive_doubling && operation == CollectiveOp::all_reduce;
}

}  // namespace

int round_count(Algorithm algorithm, CollectiveOp operation, int group_size) {
  const int rounds = gather_rounds(algorithm, group_size);
  const bool twice = operation == CollectiveOp::all_reduce && !exchanges_whole_array(algorithm, operation);
  return twice ? 2 * rounds : rounds;
}

Round round_of(Algorithm algorithm, CollectiveOp operation, const Partition& blocks, int me, int round) {
  if (exchanges_whole_array(algorithm, operation)) return without_empty_sides(doubling_exchange(blocks, me, round));
  const int rounds = gather_rounds(algorithm, static_cast<int>(blocks.parts));
  const int skipped = operation == CollectiveOp::all_gather ? rounds : 0;
  return without_empty_sides(reduce_then_gather(algorithm, blocks, me, skipped + round, rounds));
}

std::int64_t scratch_floats(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me) {
  if (blocks.parts == 1 || operation == CollectiveOp::all_gather) return 0;
  if (algorithm == Algorithm::mpi) return operation == CollectiveOp::reduce_scatter ? blocks.length(me) : 0;
  // A ring member adds to every block but that of its predecessor; thousands of rounds need not be looked at.
  if (algorithm == Algorithm::ring) return blocks.length(me == 1 ? 1 : 0);
  std::int64_t most = 0;
  const int rounds = round_count(algorithm, operation, static_cast<int>(blocks.parts));
  for (int k = 0; k < rounds; ++k) {
    const Round round = round_of(algorithm, operation, blocks, me, k);
    if (round.reduce) most = std::max(most, round.receive.count());
  }
  return most;
}

}  // namespace simtrain
