#include "train/library_collectives.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr std::int64_t kReachInMessages = 7;
static_assert(kReachInMessages * kLargestMessageBytes / std::int64_t{sizeof(float)} <= std::numeric_limits<int>::max());

Segment block_of(const Partition& blocks, std::int64_t member) {
  return {blocks.offset(member), blocks.length(member)};
}

}  // namespace

LibraryCollectives::LibraryCollectives(const std::vector<Grid>& grids, int rank, std::int64_t longest_message_floats)
    : longest_(longest_message_floats) {
  int largest_group = 1;
  for (const Grid grid : grids) {
    const Coordinates me = grid.coordinates(rank);
    members_.push_back({column_group(grid, me), MPI_COMM_NULL});
    MPI_Comm_split(MPI_COMM_WORLD, me.column, me.row, &members_.back().communicator);
    members_.push_back({row_group(grid, me), MPI_COMM_NULL});
    MPI_Comm_split(MPI_COMM_WORLD, me.row, me.column, &members_.back().communicator);
    largest_group = std::max({largest_group, grid.rows, grid.columns});
  }
  counts_.resize(static_cast<std::size_t>(largest_group));
  displacements_.resize(static_cast<std::size_t>(largest_group));
}

LibraryCollectives::~LibraryCollectives() {
  for (Member& member : members_) MPI_Comm_free(&member.communicator);
}

MPI_Comm LibraryCollectives::communicator_of(const Group& group, bool of_row) const {
  for (const bool row : {of_row, !of_row})
    for (std::size_t i = row ? 1 : 0; i < members_.size(); i += 2)
      if (members_[i].group == group) return members_[i].communicator;
  SIMTRAIN_INVARIANT(false, "no communicator for " + std::to_string(group.size) + " ranks");
}

void LibraryCollectives::start_all_reduce(const Group& group, Buffer data, const Partition& blocks, bool in_background,
                                          Requests& requests) {
  SIMTRAIN_INVARIANT(!data.phantom, "a non-blocking collective of the library, simulated");
  const MPI_Comm communicator = communicator_of(group, in_background);
  for_each_piece({0, blocks.size()}, longest_, [&](Segment piece) {
    MPI_Iallreduce(MPI_IN_PLACE, data.data + piece.offset, static_cast<int>(piece.count), MPI_FLOAT, MPI_SUM,
                   communicator, requests.add());
  });
}

void LibraryCollectives::run(CollectiveOp operation, const Group& group, Buffer data, const Partition& blocks,
                             Buffer scratch, Kernels& kernels) {
  const MPI_Comm communicator = communicator_of(group, false);
  switch (operation) {
    case CollectiveOp::all_gather:
      return all_gather(communicator, data, blocks, group.me);
    case CollectiveOp::reduce_scatter:
      return reduce_scatter(communicator, data, blocks, group.me, scratch, kernels);
    case CollectiveOp::all_reduce:
      return all_reduce(communicator, data, blocks);
  }
}

// Where payloads are real, calls work in place. With phantoms they must not: MPI_IN_PLACE makes SMPI copy the array.
void LibraryCollectives::all_reduce(MPI_Comm group, Buffer data, const Partition& blocks) {
  for_each_piece({0, blocks.size()}, longest_, [&](Segment piece) {
    const void* mine = data.phantom ? &stand_in_[0] : MPI_IN_PLACE;
    float* sum = data.phantom ? &stand_in_[1] : data.data + piece.offset;
    MPI_Allreduce(mine, sum, static_cast<int>(piece.count), MPI_FLOAT, MPI_SUM, group);
  });
}

// Long arrays go in slices: a part of every block at once, so that all members send all the time. Displacements are int
// floats: what lies beyond them (7 GiB) is another reach, counted from its own start.
void LibraryCollectives::all_gather(MPI_Comm group, Buffer data, const Partition& blocks, int me) {
  const std::int64_t slice = std::max(longest_ / blocks.parts, std::int64_t{1});
  for_each_piece({0, blocks.size()}, kReachInMessages * longest_, [&](Segment reach) {
    for_each_piece({0, blocks.length(0)}, slice, [&](Segment part) {
      std::int64_t floats = 0;
      for (std::int64_t member = 0; member < blocks.parts; ++member) {
        const Segment block = block_of(blocks, member);
        const Segment share = overlap(reach, overlap(block, {block.offset + part.offset, part.count}));
        counts_[static_cast<std::size_t>(member)] = static_cast<int>(share.count);
        displacements_[static_cast<std::size_t>(member)] = static_cast<int>(share.offset - reach.offset);
        floats += share.count;
      }
      if (floats == 0) return;
      const void* mine = data.phantom ? &stand_in_[0] : MPI_IN_PLACE;
      float* all = data.phantom ? &stand_in_[1] : data.data + reach.offset;
      MPI_Allgatherv(mine, counts_[static_cast<std::size_t>(me)], MPI_FLOAT, all, counts_.data(), displacements_.data(),
                     MPI_FLOAT, group);
    });
  });
}

// A reduce-scatter has no displacements, so that long arrays go in contiguous pieces: a member's count is what the
// piece has of its block, possibly nothing.
void LibraryCollectives::reduce_scatter(MPI_Comm group, Buffer data, const Partition& blocks, int me, Buffer scratch,
                                        Kernels& kernels) {
  const Segment mine = block_of(blocks, me);
  for_each_piece({0, blocks.size()}, longest_, [&](Segment piece) {
    for (std::int64_t member = 0; member < blocks.parts; ++member) {
      counts_[static_cast<std::size_t>(member)] = static_cast<int>(overlap(piece, block_of(blocks, member)).count);
    }
    const Segment arrives = overlap(piece, mine);
    const bool nowhere = data.phantom || arrives.count == 0;
    const float* all = data.phantom ? &stand_in_[0] : data.data + piece.offset;
    float* sum = nowhere ? &stand_in_[1] : scratch.data + (arrives.offset - mine.offset);
    MPI_Reduce_scatter(all, sum, counts_.data(), MPI_FLOAT, MPI_SUM, group);
  });
  if (data.phantom) return;
  // In place, MPI would deliver my block at the start of the array rather than where it belongs.
  const std::span<const float> sum = kernels.read(scratch.slice(0, mine.count));
  kernels.fill(data.slice(mine.offset, mine.count), [&](std::int64_t i) { return sum[static_cast<std::size_t>(i)]; });
}

}  // namespace simtrain
