// Collectives as schedules of point-to-point messages. A schedule is a pure function of (algorithm, operation, group
// size, my index, block lengths, round): nothing is stored per rank, and the same function is executed over MPI, priced
// by the alpha-beta model and proved right in memory.
//
// The data is one array of blocks.size() elements, cut into blocks.parts = group size contiguous blocks.
//   all_gather      in: block i at member i. out: all blocks at every member
//   reduce_scatter  in: the whole array at every member. out: the sum of block i at member i (the rest is scratch)
//   all_reduce      in: the whole array. out: the sum of the whole array at every member
//
// p = group size, n = bytes of the array, rounds and bytes sent per member for p a power of two and even blocks:
//   algorithm            all_gather            reduce_scatter        all_reduce
//   ring                 p-1, n(p-1)/p         p-1, n(p-1)/p         2(p-1), 2n(p-1)/p
//   recursive_doubling   log p, n(p-1)/p       (halving) the same    log p, n log p
//   rabenseifner         as recursive_doubling                       2 log p, 2n(p-1)/p
//   bruck                log p, n(p-1)/p       the same              2 log p, 2n(p-1)/p
// For other p ring is as above and bruck takes ceil(log p) in place of log p; the recursive ones take floor(log p) and
// two rounds more per pass, in which the members beyond a power of two hand their data to a neighbour and get the
// result; a member that acts for two sends up to three times the average. In every all_gather and reduce_scatter all
// members together send n(p-1) bytes, whatever the blocks.
// Any p works. Sources: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in MPICH",
// IJHPCA 19(1), 2005, sections 3 and 4; Bruck et al., IEEE TPDS 8(11), 1997, for bruck, whose reduce_scatter is its
// all_gather run backwards.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "train/partition.hpp"

namespace simtrain {

enum class CollectiveOp { all_gather, reduce_scatter, all_reduce };

// `mpi`: the MPI library's own collective (not a schedule). `automatic`: resolve() picks.
enum class Algorithm { ring, recursive_doubling, rabenseifner, bruck, mpi, automatic };

std::string_view name_of(CollectiveOp operation);  // "all-gather", ...
std::string_view name_of(Algorithm algorithm);     // "ring", "recursive-doubling", ..., "auto"
// InputError with the nearest known name.
Algorithm parse_algorithm(std::string_view option, std::string_view text);

// The algorithm that `automatic` stands for; any other comes back unchanged. The rule is stated in algorithm.cpp and in
// the README: by bytes of the whole array and group size only, so that simulated and native jobs choose alike.
Algorithm resolve(Algorithm algorithm, CollectiveOp operation, int group_size, std::int64_t bytes);

struct Segment {
  std::int64_t offset = 0, count = 0;  // elements of the array
};

// At most two contiguous segments: a range of blocks that runs past the end of the array wraps around.
struct Segments {
  std::array<Segment, 2> part{};
  [[nodiscard]] std::int64_t count() const { return part[0].count + part[1].count; }
};

// One round of one member: send to one member and receive from one, at the same time. -1: nobody. A side whose segments
// are all empty has peer -1 (both ends know the lengths): no message is sent. What is sent and what is received do not
// overlap unless `reduce` is set.
struct Round {
  int send_to = -1, receive_from = -1;
  Segments send{}, receive{};
  bool reduce = false;  // what arrives is added to the segment rather than stored there
};

// Precondition: 1 <= group_size = blocks.parts <= 2^20; 0 <= me < group_size; 0 <= round < round_count(...); the
// algorithm is a schedule, neither mpi nor automatic. Cost of a call: O(1), no allocation.
int round_count(Algorithm algorithm, CollectiveOp operation, int group_size);
Round round_of(Algorithm algorithm, CollectiveOp operation, const Partition& blocks, int me, int round);

// Floats of scratch that executing it needs, for what arrives to be added: the largest reducing receive of any round of
// this member; for mpi, which adds by itself, the block that a reduce-scatter delivers.
std::int64_t scratch_floats(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me);

}  // namespace simtrain
