// Algorithm::mpi: the MPI library's own collectives on a communicator per group.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "train/collective.hpp"
#include "train/pieces.hpp"

namespace simtrain {

class LibraryCollectives {
 public:
  // Collective over MPI_COMM_WORLD.
  LibraryCollectives(Grid grid, Coordinates me, std::int64_t longest_message_floats);
  ~LibraryCollectives();
  LibraryCollectives(const LibraryCollectives&) = delete;
  LibraryCollectives& operator=(const LibraryCollectives&) = delete;

  // As Collectives::run. `me` is this rank's number in the group.
  // Known: SMPI 3.32's reduce-scatter loses terms where blocks are empty; times and native results are right.
  void run(CollectiveOp operation, Collectives::Scope scope, Buffer data, const Partition& blocks, int me,
           Buffer scratch, Kernels& kernels);

 private:
  void all_gather(MPI_Comm group, Buffer data, const Partition& blocks, int me);
  void reduce_scatter(MPI_Comm group, Buffer data, const Partition& blocks, int me, Buffer scratch, Kernels& kernels);
  void all_reduce(MPI_Comm group, Buffer data, const Partition& blocks);

  std::int64_t longest_;
  MPI_Comm column_ = MPI_COMM_NULL, row_ = MPI_COMM_NULL;
  std::vector<int> counts_, displacements_;  // of the members of a group, for one call
  // Named in place of phantoms, whose addresses may coincide, and of empty buffers, whose address may be null: MPI
  // wants two different ones. Never accessed.
  std::array<float, 2> stand_in_{};
};

}  // namespace simtrain
