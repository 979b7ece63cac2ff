// Runs collectives over MPI. Compiled once against Open MPI and once against SMPI.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/kernels.hpp"
#include "train/grid.hpp"
#include "train/redistribution.hpp"
#include "train/schedule.hpp"

namespace simtrain {

// Of Algorithm::mpi the library does not tell: bytes_sent is then the least that any algorithm needs on average,
// n(p-1)/p for an all-gather or reduce-scatter and twice that for an all-reduce of n bytes, and messages is 0.
struct CollectiveTraffic {
  std::int64_t bytes_sent = 0;  // by this rank
  std::int64_t messages = 0;    // sent by this rank
};

// MPI counts are int, and SMPI treats messages of 2 GiB and more as small ones: longer segments go in pieces.
inline constexpr std::int64_t kLargestMessageBytes = std::int64_t{1} << 30;

class LibraryCollectives;  // train/library_collectives.hpp
class PhantomMessages;     // train/phantom_messages.hpp
class RankTrace;           // train/rank_trace.hpp
class RoundMerging;        // train/merged.hpp
class RunningCollective;   // train/running_collective.hpp

// What any algorithm must send on average (CollectiveTraffic).
std::int64_t least_bytes(CollectiveOp operation, const Partition& blocks);

// Group collectives of one rank on MPI_COMM_WORLD. Every member of a group calls run() with the same arguments but
// `data` and `scratch`. Make and destroy it between MPI_Init and MPI_Finalize.
class Collectives {
 public:
  // With `library_communicators`, which Algorithm::mpi needs, the constructor is collective over the world and makes
  // two communicators; under SMPI it must run while payloads are on. Otherwise it communicates nothing.
  // largest_message_bytes: at least one float; the same on all ranks.
  // `merging`, of a simulation without real payloads: rounds that repeat take place as one (train/merged.hpp); must
  // outlive it. The traffic told is still that of the schedule.
  Collectives(Grid grid, Coordinates me, bool library_communicators,
              std::int64_t largest_message_bytes = kLargestMessageBytes, RoundMerging* merging = nullptr);
  // Of several grids over the same ranks (Plan::grids), with two communicators each.
  Collectives(const std::vector<Grid>& grids, int rank, bool library_communicators,
              std::int64_t largest_message_bytes = kLargestMessageBytes, RoundMerging* merging = nullptr);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  // Every message is noted there from now on, but for those of merged rounds and of Algorithm::mpi, which are not ours.
  void watch(RankTrace* trace) { trace_ = trace; }

  // Its messages, but for those of start() and redistribute(), go this way from now on (null: by MPI).
  // For all ranks alike.
  void send_by(PhantomMessages* messages) { messages_ = messages; }

  enum class Scope { grid_column, grid_row };

  // blocks: one part per member of the group. data: blocks.size() floats. scratch: at least scratch_floats(...) floats,
  // for what arrives to be added; its contents are lost. Both may be phantoms.
  // Returns when this member's part is done. Additions are enqueued on `kernels` under `reduction_account` and waited
  // for. `algorithm` is not automatic.
  CollectiveTraffic run(CollectiveOp operation, Algorithm algorithm, const Group& group, Buffer data,
                        const Partition& blocks, Buffer scratch, Kernels& kernels, Account reduction_account);
  // In my column or row of the first grid.
  CollectiveTraffic run(CollectiveOp operation, Algorithm algorithm, Scope scope, Buffer data, const Partition& blocks,
                        Buffer scratch, Kernels& kernels, Account reduction_account);

  // The same, not blocking: the first round is posted, the rest takes place in `running`. Never merged; of
  // Algorithm::mpi all-reduces only, which must not be simulated.
  void start(RunningCollective& running, CollectiveOp operation, Algorithm algorithm, const Group& group, Buffer data,
             const Partition& blocks, Buffer scratch, Kernels& kernels, Account reduction_account, int tag);

  // Collective over all ranks: brings what this rank needs from `from` to `to`, two buffers as the sides of `array` say
  // (train/redistribution.hpp). scratch: at least scratch_floats(array, rank) floats, its contents are lost. Copies are
  // enqueued on `kernels` under `packing_account` and waited for. It has no other algorithm, and is never merged.
  CollectiveTraffic redistribute(const Redistribution& array, Buffer from, Buffer to, Buffer scratch, Kernels& kernels,
                                 Account packing_account);

 private:
  Grid grid_;
  int rank_;
  std::int64_t longest_message_floats_;
  std::unique_ptr<LibraryCollectives> library_;
  RoundMerging* merging_;
  RankTrace* trace_ = nullptr;
  PhantomMessages* messages_ = nullptr;
};

}  // namespace simtrain
