// mpirun can start ranks with different options (its `:`), and they read files on their own nodes, which may differ.
// Such ranks would wait for each other's messages for ever, or train something that nobody asked for.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <string>

#include "train/job.hpp"

namespace simtrain {

// What all ranks must have been asked for, a line each, "what<TAB>value": options as given or defaulted, but not where
// files are; and what was read: samples, layers.
std::string request_lines(const boost::program_options::variables_map& values, const Job& job);

// InputError naming the first line of `mine` that is not in `first`, those of rank 0.
void check_same_request(const std::string& first, const std::string& mine, int rank);

}  // namespace simtrain
