// The files that a job is read from.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <vector>

#include "report/make_passport.hpp"

namespace simtrain {

// Of --scenario, --network and --data, of the latter each file. InputError when one is not there.
std::vector<InputFile> job_files(const boost::program_options::variables_map& values);

}  // namespace simtrain
