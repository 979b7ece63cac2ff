// Which points of a sweep come first, and what they are called. Internal to the reports and to what prunes sweeps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/sweep.hpp"

namespace simtrain {

// Place of a dimension by its key; none: -1.
int dimension_of(const Sweep& sweep, const std::string& key);

// Whether an iteration is not of as many images everywhere, so that points are compared by the seconds of an image.
bool ranked_by_images(const Sweep& sweep);
// What is compared: seconds of an iteration, or of one of its images.
double cost_s(const Result& result, bool by_images);

// Indices of the points with a result, cheapest first; equal ones: fewer grid rows first, then by index.
std::vector<std::size_t> ranking_of(const Sweep& sweep);

// What a table has of a ranking: the first `count` points of `order`, whose others count in what is said of all.
struct Shown {
  const std::vector<std::size_t>& order;
  std::size_t count;
};

bool grids_vary(const Sweep& sweep);
bool ranks_vary(const Sweep& sweep);
// Nothing but the grids of one number of ranks varies.
bool only_grids_vary(const Sweep& sweep);

std::string grid_text(const SweepPoint& point);  // "32 x 8"
// What tells it from the other points: "32 x 8", "fat-tree.xml, batch 512, 32 x 8"; printable.
std::string label_of(const Sweep& sweep, const SweepPoint& point);

}  // namespace simtrain
