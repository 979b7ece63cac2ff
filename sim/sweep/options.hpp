// simtrain sweep's words: what varies, and what is the same for all points.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "sim/sweep/jobs.hpp"
#include "sim/sweep/results.hpp"
#include "sim/sweep/space.hpp"

namespace simtrain {

// Those of a prediction, of which some take lists (base/option_lists.hpp), and those of sweeps.
boost::program_options::options_description sweep_options();

// InputError for lists that are wrong, and for more than kMostPoints points.
SweepSpace space_from(const boost::program_options::variables_map& values);

// What results depend on: all options but those that say how to get them and where they go (--jobs, --memory,
// --share, outputs, --scenario, whose lines are options themselves), and the contents of all files. A switch that is on
// has the value "yes".
SweepInputs inputs_from(const boost::program_options::variables_map& values, const SweepJobs& jobs);

}  // namespace simtrain
