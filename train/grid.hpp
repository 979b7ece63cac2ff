// The Pr x Pc process grid. Pr splits the model (tensor parallel), Pc splits the batch (data parallel).
//
// Rank numbering: a grid column (the Pr ranks that share samples and gather activations) is contiguous, since it talks
// most. Pr x Pc = 3 x 2, P = 6:
//            column 0   column 1
//   row 0    rank 0     rank 3
//   row 1    rank 1     rank 4
//   row 2    rank 2     rank 5
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

struct Coordinates {
  int row = 0;     // in [0, Pr): which block of the model
  int column = 0;  // in [0, Pc): which block of the batch
  bool operator==(const Coordinates&) const = default;
};

struct Grid {
  int rows = 1;     // Pr
  int columns = 1;  // Pc

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(rows) * columns; }
  [[nodiscard]] Coordinates coordinates(int rank) const { return {rank % rows, rank / rows}; }
  [[nodiscard]] int rank(Coordinates at) const { return at.column * rows + at.row; }
  bool operator==(const Grid&) const = default;
};

// "32x8" (also 32X8 and 32×8). InputError naming `option` otherwise; each side from 1 to 2^20, the product below 2^31.
Grid parse_grid(std::string_view option, std::string_view text);
std::string to_string(Grid grid);  // "32x8"
// All Pr x Pc = processes, by growing Pr.
std::vector<Grid> grids_of(int processes);

// Members of a collective: ranks first, first + stride, ..., of which I am number `me`. No communicator is made: at
// thousands of simulated ranks communicators would cost more than the training.
struct Group {
  int first = 0, stride = 1, size = 1, me = 0;
  [[nodiscard]] int rank(int member) const { return first + stride * member; }
  bool operator==(const Group&) const = default;
};
// The Pr ranks of my grid column, numbered by row; the Pc ranks of my grid row, numbered by column.
Group column_group(Grid grid, Coordinates me);
Group row_group(Grid grid, Coordinates me);

}  // namespace simtrain
