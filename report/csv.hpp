// A result as a table for spreadsheets and scripts: RFC 4180, UTF-8, lines end in \n.
#pragma once

#include <string>

#include "report/result.hpp"

namespace simtrain {

// A header, then one row for each phase of each layer, in the order of layers and phases. Units are in the columns'
// names. Seconds and bytes are of one iteration: mean, min and max over ranks. What a phase has not (computing: an
// algorithm; a job without formulas or noted phases: these) is an empty field. Numbers read back to the same double.
std::string to_csv(const Result& result);

}  // namespace simtrain
