// Algorithm::mpi: the MPI library's own collectives on a communicator per group.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "train/collective.hpp"
#include "train/pieces.hpp"
#include "train/round_messages.hpp"

namespace simtrain {

class LibraryCollectives {
 public:
  // Collective over MPI_COMM_WORLD. Makes a communicator for this rank's column and one for its row of each grid.
  LibraryCollectives(const std::vector<Grid>& grids, int rank, std::int64_t longest_message_floats);
  ~LibraryCollectives();
  LibraryCollectives(const LibraryCollectives&) = delete;
  LibraryCollectives& operator=(const LibraryCollectives&) = delete;

  // As Collectives::run, for a group of one of the grids.
  // Known: SMPI 3.32's reduce-scatter loses terms where blocks are empty; times and native results are right.
  void run(CollectiveOp operation, const Group& group, Buffer data, const Partition& blocks, Buffer scratch,
           Kernels& kernels);
  // An all-reduce that `requests` tell the end of. Not under SMPI, whose non-blocking ones send everything to everyone.
  // In the background: over a grid's row, on a communicator that run() does not use for columns.
  void start_all_reduce(const Group& group, Buffer data, const Partition& blocks, bool in_background,
                        Requests& requests);

 private:
  // A column's where there is one, or a row's: the same group may be both, on different grids.
  [[nodiscard]] MPI_Comm communicator_of(const Group& group, bool of_row) const;
  void all_gather(MPI_Comm group, Buffer data, const Partition& blocks, int me);
  void reduce_scatter(MPI_Comm group, Buffer data, const Partition& blocks, int me, Buffer scratch, Kernels& kernels);
  void all_reduce(MPI_Comm group, Buffer data, const Partition& blocks);

  struct Member {
    Group group;
    MPI_Comm communicator;
  };
  std::int64_t longest_;
  std::vector<Member> members_;              // of each grid the column's, then the row's
  std::vector<int> counts_, displacements_;  // of the members of a group, for one call
  // Named in place of phantoms, whose addresses may coincide, and of empty buffers, whose address may be null: MPI
  // wants two different ones. Never accessed.
  std::array<float, 2> stand_in_{};
};

}  // namespace simtrain
