// Sweeps: many points of one space of jobs, ranked; what is said of them as text, page, JSON and CSV. The outputs
// depend on the sweep alone, not on the order in which its points were simulated.
//
// Points are ranked by the seconds of an iteration, or, where batches differ, by the seconds of an image: a smaller
// batch is no faster machine. Where networks differ, the fastest of each is named, since their images are not alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/result.hpp"

namespace simtrain {

// What points differ in, beside their grids.
struct SweepDimension {
  std::string key;                  // "platform": the option; the key in JSON and CSV
  std::vector<std::string> values;  // as given, in their order
  [[nodiscard]] bool varies() const { return values.size() > 1; }
};

// A result, or the reason why there is none.
struct SweepPoint {
  int grid_rows = 1, grid_columns = 1;
  std::vector<std::string> values;  // one for each dimension of the sweep
  std::optional<Result> result;
  std::string error;
  bool failed = false;   // the error is not of the input: the simulation itself failed, or is missing
  bool skipped = false;  // no result because of lower_bound_s: it cannot win
  std::optional<double> lower_bound_s = {};  // of an iteration (sim/sweep/bound.hpp); only where it was asked for
};

struct Sweep {
  std::vector<SweepDimension> dimensions;
  std::vector<SweepPoint> points;
  std::optional<Passport> passport = {};
};

// What ranks of the fastest point do (sim/sweep/timeline.hpp), or why nobody knows; neither: nobody asked.
struct FastestTimeline {
  std::optional<Timeline> timeline;
  std::string why_none;
};

std::string sweep_to_text(const Sweep& sweep);
// For a browser (report/pages.hpp): what the text says, of the 1000 fastest points, with bars of the 100 fastest; and
// the fastest one in detail.
std::string sweep_to_page(const Sweep& sweep, const FastestTimeline& timeline);
std::string sweep_to_json(const Sweep& sweep);  // schema: docs/sweep.schema.json
// A header and a line for each point, ranked ones first; RFC 4180. Columns are the same for all sweeps of the program.
std::string sweep_to_csv(const Sweep& sweep);

}  // namespace simtrain
