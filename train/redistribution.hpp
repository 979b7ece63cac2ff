// An activation or a gradient goes from the grid of one layer to that of another: a schedule of point-to-point
// messages, a pure function like those of train/schedule.hpp, executed over MPI, priced by the alpha-beta model and
// proved right in memory.
//
// The array has rows (channels or features), of which each has `lines` lines of `line_floats` floats for each of
// `batch` samples: those of an image where a side is cut into strips of them (train/strips.hpp), else one. A rank
// stores its part as [rows][samples][lines][line_floats]. Both grids hold the same P ranks, numbered column by column
// (train/grid.hpp), so that a rank has coordinates on either, and its part of the batch differs as well as its rows.
// P = 6, 12 samples, from 1 x 6 to 3 x 2:
//   rank                    0        1        2        3        4        5
//   (row, column) on 1 x 6  (0,0)    (0,1)    (0,2)    (0,3)    (0,4)    (0,5)
//     has all rows of       0-1      2-3      4-5      6-7      8-9      10-11
//   (row, column) on 3 x 2  (0,0)    (1,0)    (2,0)    (0,1)    (1,1)    (2,1)
//     needs all rows of     0-5      0-5      0-5      6-11     6-11     6-11
// Each rank gets from two others what it lacks, as an all-gather within each column of 3 x 2 would move it. The
// gradient goes back from 3 x 2, where each rank has all rows of its six samples, to 1 x 6: no message, each keeps two
// of them.
//
// Exactly what a rank needs and has not is sent to it, each float once. Where several ranks have it (all rows, the same
// grid column), the one sends it whose grid row owns it, so that all send alike. In round k, 0 < k < P, rank r sends to
// r + k and receives from r - k (modulo P); rounds without a message are left out.
//
// Between strips of one image and the lines that windows over them see, on one grid, this is a halo exchange
// (train/halo.hpp).
#pragma once

#include <cstdint>

#include "kernels/operation.hpp"
#include "train/grid.hpp"
#include "train/partition.hpp"
#include "train/strips.hpp"

namespace simtrain {

// Lines of rows [row, row + rows) of samples [sample, sample + samples).
struct ArrayBlock {
  std::int64_t row = 0, rows = 0, sample = 0, samples = 0;
  Lines lines{0, 1};
  [[nodiscard]] bool empty() const { return rows <= 0 || samples <= 0 || lines.count <= 0; }
  bool operator==(const ArrayBlock&) const = default;
};

struct Redistribution {
  struct Side {
    Grid grid;
    Partition rows;       // over the grid's rows; rows.size() of them
    bool whole = false;   // a rank has (needs) all rows, else those of its grid row
    bool stored = false;  // its buffer has room for all rows
    Strips strips = {};   // cut: the grid's rows have these lines of all rows, of which there is one part; never whole
  };
  Side from, to;  // grids of equal size, rows cut in the same units
  std::int64_t batch = 0;
  std::int64_t line_floats = 1;  // per sample
  std::int64_t lines = 1;

  [[nodiscard]] int ranks() const { return static_cast<int>(from.grid.size()); }
  [[nodiscard]] std::int64_t floats(const ArrayBlock& block) const {
    return block.empty() ? 0 : block.rows * block.samples * block.lines.count * line_floats;
  }
};

// One round of one rank. -1: nobody.
struct Transfer {
  int send_to = -1, receive_from = -1;
  ArrayBlock send, receive;
};

// The first round after `round` (0: the first of all) in which the rank sends or receives; ranks() when there is none.
// Precondition: at most 2^30 ranks. O(1), O(log strips) where a side is cut; no allocation. So is transfer_of.
int next_round(const Redistribution& redistribution, int rank, int round);
// Precondition: 0 < round < ranks().
Transfer transfer_of(const Redistribution& redistribution, int rank, int round);
// What the rank needs and has: it goes from one buffer to the other without a message. Possibly empty.
ArrayBlock kept_block(const Redistribution& redistribution, int rank);

// Where a block is in a rank's buffer of a side, in floats: `rows` times, `row_stride` apart, `samples` runs of `run`
// floats, `sample_stride` apart.
struct StoredBlock {
  std::int64_t offset = 0, rows = 0, row_stride = 0, samples = 0, sample_stride = 0, run = 0;
  [[nodiscard]] std::int64_t floats() const { return rows * samples * run; }
  [[nodiscard]] bool contiguous() const;
};
StoredBlock stored_block(const Redistribution& redistribution, const Redistribution::Side& side, int rank,
                         const ArrayBlock& block);

// The block packed, as it travels; and how it gets from one place to another, each counted from its offset.
StoredBlock packed(const StoredBlock& block);
CopyBlock copy_between(const StoredBlock& from, const StoredBlock& to);

// Floats of scratch that executing it needs on this rank: blocks that are not contiguous go packed.
std::int64_t scratch_floats(const Redistribution& redistribution, int rank);

// Sent by all ranks together. O(ranks).
std::int64_t count_messages(const Redistribution& redistribution);

}  // namespace simtrain
