#include "sim/placement/placement_options.hpp"

#include "base/options.hpp"
#include "base/units.hpp"

namespace po = boost::program_options;

namespace simtrain {

po::options_description placement_options() {
  po::options_description options("Where ranks sit");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()(
      "placement", word("HOW")->default_value("column-major"),
      "column-major: the Pr ranks of a grid column on neighbouring hosts; row-major: the Pc ranks of a row; blocks, "
      "row-blocks: each column, or row, in a compact block; snake: a path through a torus; random:SEED; a hostfile of "
      "Open MPI; auto: the fastest of the first five (docs/placement.md)")(
      "ranks-per-host", word("N")->default_value("1"), "ranks that share a host: its link, its memory, its cores");
  return options;
}

PlacementOptions placement_from(const po::variables_map& values) {
  return {parse_placement("--placement", text_of(values, "placement")),
          static_cast<int>(parse_integer("--ranks-per-host", text_of(values, "ranks-per-host"), 1, 1 << 20)),
          slow_parts_from(values)};
}

}  // namespace simtrain
