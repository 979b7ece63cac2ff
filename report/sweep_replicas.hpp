// What replicas say about a sweep: since replica i is the same on every grid, grids can be compared replica by replica.
#pragma once

#include <cstddef>
#include <vector>

#include "report/page.hpp"
#include "report/sweep.hpp"
#include "report/sweep_ranking.hpp"

namespace simtrain {

// In how many of the replicas each point of `order` is the fastest; of equally fast ones the first in `order`. Empty
// unless all of them have equally many replicas. Precondition: they have results.
std::vector<std::size_t> fastest_counts(const Sweep& sweep, const std::vector<std::size_t>& order);

// In how many replicas point a is faster than point b. Precondition: both have as many replicas.
std::size_t wins(const Sweep& sweep, const SweepPoint& a, const SweepPoint& b);

// The table of intervals, and how sure it is that the first beats the second; nothing without
// replicas.
void add_replica_table(Page& page, const Sweep& sweep, const Shown& shown, const TimeScale& time);

}  // namespace simtrain
