// The report that people read: plain text, units on every number, at most 100 columns.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"

namespace simtrain {

std::string to_text(const Result& result);

// One line of a sweep: a result, or the reason why there is none.
struct SweepPoint {
  int grid_rows = 1, grid_columns = 1;
  std::optional<Result> result;
  std::string error;
  bool failed = false;  // the error is not of the input: the simulation itself failed
};
// Ranked by iteration time; points without a result last, with their reasons.
std::string sweep_to_text(const std::vector<SweepPoint>& points);
std::string sweep_to_json(const std::vector<SweepPoint>& points);  // schema: docs/sweep.schema.json

}  // namespace simtrain
