// Pages for people: what the terminal says, with charts and key figures, in a file of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "report/result.hpp"

namespace simtrain {

// Of a prediction; with a timeline, if the result has one. InputError as in web_page (report/web_page.hpp).
std::string prediction_page(const Result& result);

// One bar of a sweep: its label and what it takes.
struct SweepBar {
  std::string label;
  const Result* result;
};
// `report`: of the sweep, with a figure "sweep", and, of the fastest point, those of a prediction; its first heading is
// the page's title. `bars`: fastest first.
std::string sweep_page(const Page& report, const std::vector<SweepBar>& bars, const std::optional<Passport>& passport);

}  // namespace simtrain
