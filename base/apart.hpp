// Files that must not be one another: an output over an input, or over another output, loses what is there.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace simtrain {

struct NamedFile {
  std::string what;  // "--json", "network"
  std::filesystem::path path;
};

// Those of the options json, csv, report, trace and results that are given.
std::vector<NamedFile> outputs_of(const boost::program_options::variables_map& values);

// InputError naming both when an output is another output or an input, however their paths are spelled. Devices and
// pipes may be: nothing in them is lost.
void check_apart(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

}  // namespace simtrain
