#include "sim/sweep/sweep_passport.hpp"

#include "base/option_lists.hpp"
#include "base/options.hpp"
#include "report/make_passport.hpp"
#include "sim/engine/engine.hpp"
#include "sim/sweep/options.hpp"

namespace simtrain {

namespace {

void add(const std::string& option, const std::string& value, std::vector<std::string>& arguments) {
  arguments.push_back("--" + option);
  arguments.push_back(value);
}

std::string default_of(const boost::program_options::option_description& option) {
  boost::any value;
  const auto* text = option.semantic()->apply_default(value) ? boost::any_cast<std::string>(&value) : nullptr;
  return text == nullptr ? "" : *text;
}

void add_space(const SweepSpace& space, std::vector<std::string>& arguments) {
  for (const SpaceDimension& dimension : space.dimensions)
    for (const std::string& value : dimension.values)
      if (!value.empty()) add(dimension.option, value, arguments);  // "": the network's own batch
  std::string grids;
  for (const Grid grid : space.grids) grids += (grids.empty() ? "" : ",") + to_string(grid);
  add("grids", grids, arguments);
}

void add_options(const std::map<std::string, std::string>& options, std::vector<std::string>& arguments) {
  const auto known = sweep_options();
  for (const auto& [option, value] : options) {
    const auto& description = known.find(option, false);
    if (option != "seed" && value == default_of(description)) continue;  // some are refused without others
    if (is_switch(description))
      arguments.push_back("--" + option);
    else if (is_list(description))
      for (const std::string& one : split_list("--" + option, {value}, Commas::part_of_values))
        add(option, one, arguments);
    else
      add(option, value, arguments);
  }
}

// "network 'alexnet'"
PassportInput input_of(const std::string& file, const std::string& sha256) {
  const std::size_t blank = file.find(" '");
  return {file.substr(0, blank), file.substr(blank + 2, file.size() - blank - 3), sha256};
}

}  // namespace

Passport passport_of(const SweepInputs& inputs) {
  Passport passport = make_passport("simtrain", {"sweep"}, {{"SimGrid", simgrid_version()}}, {});
  add_space(inputs.space, passport.arguments);
  add_options(inputs.options, passport.arguments);
  for (const auto& [file, sha256] : inputs.files) passport.inputs.push_back(input_of(file, sha256));
  return passport;
}

}  // namespace simtrain
