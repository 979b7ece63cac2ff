// On which host each rank of a grid sits. Pure functions; docs/placement.md says which to choose when.
//
//   column-major   ranks in their order, the Pr ranks of a grid column side by side, on hosts in their order
//   row-major      the Pc ranks of a grid row side by side
//   blocks         each grid column in a block of hosts: a box of a torus, as compact as there is one that all columns
//                  fit into; below as few switches of a tree as possible
//   row-blocks     the same for grid rows
//   snake          column-major along a path through a torus on which hosts that follow each other are neighbours
//   random:SEED    column-major on hosts in an order that is drawn, those that the job could do without included
//   FILE           column-major on the slots of a hostfile (sim/placement/hostfile.hpp)
//   auto           whichever of the first five takes the least time (sim/prediction/what_if.hpp)
//
// 2 x 4 on torus 4x2, hosts        column-major     row-major      snake         blocks
//   4 5 6 7                        rank 4 5 6 7     1 3 5 7        7 6 5 4       6 7 4 5
//   0 1 2 3                             0 1 2 3     0 2 4 6        0 1 2 3       0 1 2 3
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "sim/placement/host_space.hpp"
#include "train/grid.hpp"

namespace simtrain {

struct Placement {
  enum class Kind { column_major, row_major, blocks, row_blocks, snake, random, file, automatic };
  Kind kind = Kind::column_major;
  std::uint64_t seed = 1;  // of `random`
  std::string file;        // of `file`
  bool operator==(const Placement&) const = default;
};

// What `auto` tries, in this order.
std::vector<Placement> deterministic_placements();

// A word of the table above ("random" is random:1), or the path of a hostfile that exists. InputError otherwise; also
// when the hostfile is wrong in itself (sim/placement/hostfile.hpp).
Placement parse_placement(std::string_view option, const std::string& text);
std::string name_of(const Placement& placement);  // "random:7", "hostfile my-hosts"
// What name_of() gave, as results keep it.
Placement parse_placement_name(const std::string& name);

// Whether place() asks for the torus and groups of a HostSpace.
bool needs_nearness(const Placement& placement);

// The placement cannot be had on this platform, others can.
class NotPlaceable : public InputError {
 public:
  // "--placement: 'snake' is not possible: platform 'ethernet:4' is no torus; expected column-major, …"
  NotPlaceable(const std::string& placement, const std::string& why, const std::string& expected)
      : InputError("--placement: '" + placement + "' is not possible: " + why + "; expected " + expected), why_(why) {}
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::string why_;
};

// The host of each rank. At most `ranks_per_host` ranks on each, in the order of the hosts: the last one may get fewer,
// and with blocks the last one of each block. A hostfile's slots count instead where it has them.
// InputError when there are too few hosts or slots; NotPlaceable when a snake is asked for on what is no torus, or
// there are too few blocks. Precondition: not `auto`; ranks_per_host >= 1.
std::vector<int> place(const Placement& placement, Grid grid, int ranks_per_host, const HostSpace& space);

// How many ranks place() has room for.
std::int64_t slot_count(const Placement& placement, int ranks_per_host, const HostSpace& space);

}  // namespace simtrain
