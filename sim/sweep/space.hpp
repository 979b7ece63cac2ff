// The space of a sweep: the product of what varies, as a value. Points are numbered, the grid fastest: those of one
// platform, placement, ... follow each other.
//
//   dimensions   network {alexnet}, batch {512, 1024}, ..., grid {1x4, 2x2, 4x1}
//   point 4      network alexnet, batch 1024, grid 2x2
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "train/grid.hpp"

namespace simtrain {

// The options that vary, in the order of the product; the last one is the grid. "processes" is none of them: grids have
// them.
inline constexpr const char* kSweptOptions[] = {"network", "batch", "platform", "placement", "collectives", "strategy"};

struct SpaceDimension {
  std::string option;
  std::vector<std::string> values;  // at least one; "" of a batch: the network's own
  bool operator==(const SpaceDimension&) const = default;
};

struct SpacePoint {
  std::size_t number = 0;
  std::vector<std::string> values;  // by dimension
  Grid grid;
};

struct SweepSpace {
  std::vector<SpaceDimension> dimensions;
  std::vector<Grid> grids;  // at least one

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] SpacePoint point(std::size_t number) const;  // precondition: number < size()
  bool operator==(const SweepSpace&) const = default;
};

// The grids of a sweep. `processes`: as given, none for grids that say it themselves. `patterns`: "all", grids, or
// grids with * for any side: "*x8", "32x*"; none: all. With processes, each of them chooses among the grids of these;
// in the order of the processes, then by growing Pr. InputError naming --processes or --grids: neither is given, no
// whole number from 1 to 2^20, no grid, a pattern without processes, one that matches nothing.
std::vector<Grid> swept_grids(const std::vector<std::string>& processes, const std::vector<std::string>& patterns);

// More points than anybody waits for are refused before anything is done with them.
inline constexpr std::size_t kMostPoints = 100'000;

}  // namespace simtrain
