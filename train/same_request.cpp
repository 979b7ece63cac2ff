#include "train/same_request.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/options.hpp"

namespace simtrain {

namespace {

// Where files are may differ from node to node, and only rank 0 writes; the grid has a line of its own, whatever the
// words it was given in; a scenario's keys have become options.
constexpr std::array<std::string_view, 6> kNotCompared{"data", "json", "scenario", "grid", "tp", "dp"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string name_of_line(const std::string& line) { return line.substr(0, line.find('\t')); }

std::string value_of(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines)
    if (name_of_line(line) == name) return "'" + line.substr(name.size() + 1) + "'";
  return "nothing";
}

}  // namespace

std::string request_lines(const boost::program_options::variables_map& values, const Job& job) {
  std::ostringstream lines;
  lines << "--grid\t" << to_string(job.plan.grid) << "\n";
  for (const auto& [name, value] : values)
    if (std::find(kNotCompared.begin(), kNotCompared.end(), name) == kNotCompared.end())
      lines << "--" << name << "\t" << text_of(values, name) << "\n";
  const auto samples = [](const auto& data) { return data ? data->size() : 0; };
  lines << "training samples\t" << samples(job.training_data) << "\n";
  lines << "test samples\t" << samples(job.test_data) << "\n";
  for (const Layer& layer : job.network.layers) {
    lines << "layer " << layer.name << "\t" << layer.description() << ", padding " << layer.padding << ", groups "
          << layer.groups << ", probability " << layer.probability << ", bias " << layer.bias << ", inputs";
    for (const int input : layer.inputs) lines << " " << input;
    lines << ", out " << layer.out.channels << "x" << layer.out.height << "x" << layer.out.width << "\n";
  }
  return lines.str();
}

void check_same_request(const std::string& first, const std::string& mine, int rank) {
  if (first == mine) return;
  const std::vector<std::string> theirs = lines_of(first), ours = lines_of(mine);
  const auto refuse = [&](const std::string& name) {
    throw InputError(name + ": rank " + std::to_string(rank) + " has " + value_of(ours, name) + ", rank 0 " +
                     value_of(theirs, name) + "; expected the same on all ranks");
  };
  for (const std::string& line : ours)
    if (std::find(theirs.begin(), theirs.end(), line) == theirs.end()) refuse(name_of_line(line));
  for (const std::string& line : theirs)
    if (std::find(ours.begin(), ours.end(), line) == ours.end()) refuse(name_of_line(line));
  throw InputError("layers: those of rank " + std::to_string(rank) +
                   " are in another order than those of rank 0; expected the same on all ranks");
}

}  // namespace simtrain
