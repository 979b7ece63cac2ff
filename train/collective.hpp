// Runs collectives over MPI. Compiled once against Open MPI and once against SMPI.
#pragma once

#include <cstdint>

#include "kernels/kernels.hpp"
#include "train/grid.hpp"
#include "train/schedule.hpp"

namespace simtrain {

struct CollectiveTraffic {
  std::int64_t bytes_sent = 0;  // by this rank
  std::int64_t messages = 0;    // sent by this rank
};

// MPI counts are int, and SMPI treats messages of 2 GiB and more as small ones: longer segments go in pieces.
inline constexpr std::int64_t kLargestMessageBytes = std::int64_t{1} << 30;

// Group collectives of one rank on MPI_COMM_WORLD. Every member of a group calls run() with the same arguments but `me`
// and `data`. For Algorithm::mpi the constructor, which is then collective over the world, makes two communicators.
class Collectives {
 public:
  // What the library's own collectives need a communicator for; `needed` false makes none.
  Collectives(Grid grid, Coordinates me, bool library_communicators);
  ~Collectives();
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;

  enum class Scope { grid_column, grid_row };

  // data: blocks.size() floats. scratch: at least scratch_floats(...) floats, for what arrives to be added.
  // Returns when this member's part is done. Additions are enqueued on `kernels` under `reduction_account` and waited
  // for. `algorithm` is not automatic.
  CollectiveTraffic run(CollectiveOp operation, Algorithm algorithm, Scope scope, Buffer data, const Partition& blocks,
                        Buffer scratch, Kernels& kernels, Account reduction_account);

 private:
  struct LibraryCommunicators;
  Grid grid_;
  Coordinates me_;
  LibraryCommunicators* library_ = nullptr;
};

// Floats of scratch that run() needs: the largest reducing receive of any round of this member.
std::int64_t scratch_floats(CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me);

}  // namespace simtrain
