// The ranked table of a sweep: as many columns as fit the page, those of the dimensions that vary always. Internal to
// the report.
#pragma once

#include <cstddef>
#include <vector>

#include "report/page.hpp"
#include "report/sweep.hpp"
#include "report/sweep_ranking.hpp"

namespace simtrain {

// Adds the table, and below it what the numbers stand for that took the place of long values: "platform 2  torus:…".
// Precondition: `shown` is of ranking_of(sweep), not empty.
void add_ranked_table(Page& page, const Sweep& sweep, const Shown& shown, const TimeScale& time);

// "formula (8)", or "formula (9)", of which (8) is the case without strips, where one of the points has them.
std::string formula_of(const Sweep& sweep, const std::vector<std::size_t>& order);

}  // namespace simtrain
