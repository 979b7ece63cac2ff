// Whether two results are of the same job: what must agree for their times to be comparable, and what need not.
#pragma once

#include <vector>

#include "report/compare.hpp"

namespace simtrain {

// What the work depends on and is not alike in both; empty: they are of the same job.
std::vector<Mention> job_differences(const Result& reference, const Result& other);

// Of the layers, by name and kind: empty if both are of one network.
std::vector<Mention> layer_differences(const Result& reference, const Result& other);

// What does not change the work and is not alike.
std::vector<Mention> circumstances(const Result& reference, const Result& other);

}  // namespace simtrain
