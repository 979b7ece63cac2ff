// Options with several values, all written alike: the option repeated, or " | " between values, since commas, colons
// and semicolons are part of values ("torus:8x8,latency=1us", "conv*:1x256; fc8:16x16"). Numbers, grids and other words
// that never hold a comma may have commas instead.
//
//   --platform torus.xml --platform fat-tree.xml        --platform "torus.xml | fat-tree.xml"
//   --batch 256,512,1024                                batch = 256 | 512         (in a scenario)
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

// For add_options(); an empty `fallback` is none. The command line's values replace those of a scenario.
boost::program_options::typed_value<std::vector<std::string>>* list_value(const std::string& name,
                                                                          const std::string& fallback = "");
bool is_list(const boost::program_options::option_description& option);

enum class Commas { part_of_values, between_values };

// In their order. InputError naming `option` for a value that is empty or stands there twice.
std::vector<std::string> split_list(std::string_view option, const std::vector<std::string>& texts, Commas commas);
// Those of an option that was given or has a default; none otherwise.
std::vector<std::string> list_of(const boost::program_options::variables_map& values, const std::string& option,
                                 Commas commas);

}  // namespace simtrain
