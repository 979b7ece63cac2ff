// The report that people read: plain text, units on every number, at most 100 columns.
#pragma once

#include <string>
#include <vector>

#include "report/result.hpp"

namespace simtrain {

std::string to_text(const Result& result);

}  // namespace simtrain
