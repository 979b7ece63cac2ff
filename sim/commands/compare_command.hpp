// simtrain compare A.json B.json: two results of one job, phase by phase (report/compare.hpp).
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// Returns the exit status. InputError for files that cannot be read, are no results, or are of different jobs.
int compare_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
