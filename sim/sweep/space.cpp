#include "sim/sweep/space.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

constexpr const char* kGrids = "--grids";

// A grid some sides of which are open.
struct GridPattern {
  std::string text;
  std::optional<int> rows, columns;
  [[nodiscard]] bool open() const { return !rows || !columns; }
  [[nodiscard]] bool matches(Grid grid) const {
    return (!rows || *rows == grid.rows) && (!columns || *columns == grid.columns);
  }
};

GridPattern parse_pattern(const std::string& text) {
  if (text == "all") return {text, {}, {}};
  if (text.find('*') == std::string::npos) {
    const Grid grid = parse_grid(kGrids, text);
    return {text, grid.rows, grid.columns};
  }
  const InputError refused(std::string(kGrids) + ": '" + text +
                           "' is not valid; expected all, a grid such as 32x8, or one with an open side: *x8, 32x*");
  const std::size_t by = text.find_first_of("xX");
  if (by == std::string::npos) throw refused;
  const auto side = [&](const std::string& word) -> std::optional<int> {
    if (word == "*") return std::nullopt;
    try {
      return static_cast<int>(parse_integer(kGrids, word, 1, 1 << 20));
    } catch (const InputError&) {
      throw refused;
    }
  };
  return {text, side(text.substr(0, by)), side(text.substr(by + 1))};
}

std::vector<Grid> grids_alone(const std::vector<GridPattern>& patterns) {
  std::vector<Grid> grids;
  for (const GridPattern& pattern : patterns) {
    if (pattern.open())
      throw InputError(std::string(kGrids) + ": '" + pattern.text +
                       "' is given without --processes; expected both, or whole grids such as 32x8");
    const Grid grid{*pattern.rows, *pattern.columns};
    if (std::find(grids.begin(), grids.end(), grid) == grids.end()) grids.push_back(grid);
  }
  return grids;
}

std::string all_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::size_t SweepSpace::size() const {
  std::size_t size = grids.size();
  for (const SpaceDimension& dimension : dimensions) size *= dimension.values.size();
  return size;
}

SpacePoint SweepSpace::point(std::size_t number) const {
  SIMTRAIN_INVARIANT(number < size(), std::to_string(number) + " of " + std::to_string(size()));
  SpacePoint point{number, std::vector<std::string>(dimensions.size()), grids[number % grids.size()]};
  number /= grids.size();
  for (std::size_t i = dimensions.size(); i-- > 0; number /= dimensions[i].values.size())
    point.values[i] = dimensions[i].values[number % dimensions[i].values.size()];
  return point;
}

std::vector<Grid> swept_grids(const std::vector<std::string>& processes, const std::vector<std::string>& patterns) {
  std::vector<GridPattern> wanted;
  for (const std::string& text : patterns) wanted.push_back(parse_pattern(text));
  if (processes.empty()) {
    if (wanted.empty())
      throw InputError(
          "--processes: is missing; expected the number of processes, such as --processes 256, or --grids");
    return grids_alone(wanted);
  }
  if (wanted.empty()) wanted.push_back({"all", {}, {}});
  std::vector<char> used(wanted.size(), 0);
  std::vector<Grid> grids;
  for (const std::string& text : processes)
    for (const Grid grid : grids_of(static_cast<int>(parse_integer("--processes", text, 1, 1 << 20)))) {
      bool chosen = false;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i].matches(grid)) {
          used[i] = 1;
          chosen = true;
        }
      if (chosen) grids.push_back(grid);
    }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (used[i] == 0)
      throw InputError(std::string(kGrids) + ": '" + wanted[i].text + "' matches no grid of " + all_of(processes) +
                       " processes; expected Pr x Pc = one of them");
  return grids;
}

}  // namespace simtrain
