// Outputs, by their options, and files that must not be one another: an output over an input, or over another output,
// loses what is there.
#pragma once

#include <array>
#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace simtrain {

struct NamedFile {
  std::string what;  // "--json", "network"
  std::filesystem::path path;
};

// The options that name a file to be written, of all commands that compute something: what is computed does not depend
// on them, nor on those that say how it is shown.
inline constexpr std::array kOutputOptions{"json", "csv", "report", "trace", "results", "svg"};
inline constexpr std::array kShowingOptions{"trace-ranks", "trace-iteration", "color"};

// Those of kOutputOptions that are given.
std::vector<NamedFile> outputs_of(const boost::program_options::variables_map& values);
// Whether one of them is standard output, so that nothing else may be written there.
bool takes_standard_output(const boost::program_options::variables_map& values);
// Of a command line, what is neither kOutputOptions nor kShowingOptions, in its order.
std::vector<std::string> without_outputs(const std::vector<std::string>& arguments);

// InputError naming both when an output is another output or an input, however their paths are spelled. Devices and
// pipes may be: nothing in them is lost. Standard output takes one of them. InputError for an empty name of an output.
void check_apart(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

}  // namespace simtrain
