// Where ranks sit and which parts of the platform are slow, as the command line says it: of predictions and of
// collectives alone.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>

#include "sim/placement/placement.hpp"
#include "sim/placement/slow_parts.hpp"

namespace simtrain {

struct PlacementOptions {
  Placement placement;
  int ranks_per_host = 1;
  SlowPartsOptions slow_parts;
};

// --placement, --ranks-per-host.
boost::program_options::options_description placement_options();
// These and slow_parts_options(). InputError for wrong values.
PlacementOptions placement_from(const boost::program_options::variables_map& values);

}  // namespace simtrain
