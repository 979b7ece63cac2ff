// Cells of a comparison's tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/compare.hpp"
#include "report/page.hpp"

namespace simtrain {

// "+12.0 %", "<0.1 %"; "-" for none.
std::string signed_percent(const std::optional<double>& fraction);
// "+1.20", "-0.35", "<0.01".
std::string signed_time(const TimeScale& time, double seconds);
// Both, their difference, and it over the reference.
std::vector<std::string> contrast_cells(const Contrast& seconds, const TimeScale& time);
std::string share_cell(const Comparison& comparison, const Contrast& part);
// "relative\nerror" of a prediction held against what was measured, else "relative".
std::string relative_heading(const Comparison& comparison);

}  // namespace simtrain
