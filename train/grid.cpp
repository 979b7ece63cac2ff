#include "train/grid.hpp"

#include "base/error.hpp"
#include "base/units.hpp"

namespace simtrain {

Grid parse_grid(std::string_view option, std::string_view text) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(std::string(option) + ": '" + std::string(text) + "' " + why);
  };
  constexpr std::string_view times_sign = "×";
  std::string_view::size_type at = text.find_first_of("xX"), width = 1;
  if (at == std::string_view::npos) {
    at = text.find(times_sign);
    width = times_sign.size();
  }
  if (at == std::string_view::npos) refuse("is not a grid; expected ROWSxCOLUMNS, such as 32x8");
  const auto side = [&](std::string_view part) {
    try {
      return static_cast<int>(parse_integer(option, part, 1, 1 << 20));
    } catch (const InputError&) {
      refuse("is not a grid; expected ROWSxCOLUMNS, two whole numbers of at least 1, such as 32x8");
      throw;
    }
  };
  const Grid grid{side(text.substr(0, at)), side(text.substr(at + width))};
  if (grid.size() > INT32_MAX) refuse("has more than 2147483647 processes");
  return grid;
}

std::string to_string(Grid grid) { return std::to_string(grid.rows) + "x" + std::to_string(grid.columns); }

std::vector<Grid> grids_of(int processes) {
  std::vector<Grid> grids;
  for (int rows = 1; rows <= processes; ++rows)
    if (processes % rows == 0) grids.push_back({rows, processes / rows});
  return grids;
}

Group column_group(Grid grid, Coordinates me) { return {grid.rank({0, me.column}), 1, grid.rows, me.row}; }

Group row_group(Grid grid, Coordinates me) { return {grid.rank({me.row, 0}), grid.rows, grid.columns, me.column}; }

}  // namespace simtrain
