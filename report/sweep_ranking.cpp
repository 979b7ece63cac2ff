#include "report/sweep_ranking.hpp"

#include <algorithm>

#include "report/table.hpp"

namespace simtrain {

namespace {

template <typename Property>
bool differ(const Sweep& sweep, const Property& property) {
  return std::any_of(sweep.points.begin(), sweep.points.end(),
                     [&](const SweepPoint& point) { return property(point) != property(sweep.points.front()); });
}

std::int64_t ranks_of(const SweepPoint& point) { return std::int64_t{point.grid_rows} * point.grid_columns; }

}  // namespace

int dimension_of(const Sweep& sweep, const std::string& key) {
  const auto found = std::find_if(sweep.dimensions.begin(), sweep.dimensions.end(),
                                  [&](const SweepDimension& dimension) { return dimension.key == key; });
  return found == sweep.dimensions.end() ? -1 : static_cast<int>(found - sweep.dimensions.begin());
}

bool ranked_by_images(const Sweep& sweep) {
  const int batch = dimension_of(sweep, "batch");
  if (batch >= 0 && sweep.dimensions[static_cast<std::size_t>(batch)].varies()) return true;
  const Result* first = nullptr;  // without the option, each network has its own
  for (const SweepPoint& point : sweep.points) {
    if (!point.result) continue;
    if (first != nullptr && first->job.batch != point.result->job.batch) return true;
    if (first == nullptr) first = &*point.result;
  }
  return false;
}

double cost_s(const Result& result, bool by_images) {
  return by_images ? result.iteration_s / static_cast<double>(result.job.batch) : result.iteration_s;
}

std::vector<std::size_t> ranking_of(const Sweep& sweep) {
  const bool by_images = ranked_by_images(sweep);
  std::vector<double> costs(sweep.points.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (!sweep.points[i].result) continue;
    costs[i] = cost_s(*sweep.points[i].result, by_images);
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return costs[a] != costs[b] ? costs[a] < costs[b] : sweep.points[a].grid_rows < sweep.points[b].grid_rows;
  });
  return order;
}

bool grids_vary(const Sweep& sweep) {
  return differ(sweep, [](const SweepPoint& point) { return std::pair(point.grid_rows, point.grid_columns); });
}

bool ranks_vary(const Sweep& sweep) { return differ(sweep, ranks_of); }

bool only_grids_vary(const Sweep& sweep) {
  return !ranks_vary(sweep) && std::none_of(sweep.dimensions.begin(), sweep.dimensions.end(),
                                            [](const SweepDimension& dimension) { return dimension.varies(); });
}

std::string grid_text(const SweepPoint& point) {
  return std::to_string(point.grid_rows) + " x " + std::to_string(point.grid_columns);
}

std::string label_of(const Sweep& sweep, const SweepPoint& point) {
  std::string label;
  const auto add = [&](const std::string& text) { label += (label.empty() ? "" : ", ") + printable(text); };
  for (std::size_t i = 0; i < sweep.dimensions.size(); ++i)
    if (sweep.dimensions[i].varies()) add((sweep.dimensions[i].key == "batch" ? "batch " : "") + point.values[i]);
  if (label.empty() || grids_vary(sweep)) add(grid_text(point));
  return label;
}

}  // namespace simtrain
