#include "sim/sweep/options.hpp"

#include <algorithm>
#include <set>

#include "base/apart.hpp"
#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/option_lists.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "sim/prediction/replicas.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

// Beside outputs: those that the space has, and those that say how it is simulated.
const std::set<std::string> kNoInputs{"grids", "help", "jobs", "memory", "processes", "scenario", "share", "version"};

bool is_no_input(const std::string& option) {
  const auto is_one_of = [&](const auto& names) {
    return std::find(names.begin(), names.end(), option) != names.end();
  };
  return kNoInputs.contains(option) || is_one_of(kOutputOptions) || is_one_of(kShowingOptions);
}

bool is_swept(const std::string& option) {
  return std::find(std::begin(kSweptOptions), std::end(kSweptOptions), option) != std::end(kSweptOptions);
}

// Numbers and names of ours, in which no comma can be.
Commas commas_of(const std::string& option) {
  return option == "batch" || option == "collectives" ? Commas::between_values : Commas::part_of_values;
}

std::string default_of(const po::option_description& option) {
  boost::any value;
  return option.semantic()->apply_default(value) ? boost::any_cast<std::string>(value) : std::string();
}

// The same option with as many values as one likes.
void add_list(const po::options_description& all, const std::string& option, const std::string& name,
              po::options_description& lists) {
  const po::option_description& one = all.find(option, false);
  lists.add_options()(option.c_str(), list_value(name, default_of(one)), one.description().c_str());
}

po::options_description lists(const po::options_description& prediction, const po::options_description& job) {
  po::options_description lists(
      "What varies: each of these takes several values, the option repeated or ' | ' between them (between numbers and "
      "grids also ','); a point for each combination");
  lists.add_options()("processes", list_value("P"), "grids Pr x Pc = P")(
      "grids", list_value("WHICH"),
      "which of them: all (the default), 32x8, or with an open side *x8, 32x*; without --processes: these grids");
  add_list(job, "network", "NAME|FILE", lists);
  add_list(job, "batch", "N", lists);
  add_list(prediction, "platform", "FILE|SPEC", lists);
  add_list(prediction, "placement", "HOW", lists);
  add_list(job, "collectives", "NAME", lists);
  add_list(job, "strategy", "HOW", lists);
  return lists;
}

po::options_description own_options() {
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description options("The sweep");
  options.add_options()("results", word("FILE"),
                        "keep every point there as soon as it is simulated; the same command goes on where it was, "
                        "however it ended")(
      "share", word("I/N|auto"),
      "with --results: this process takes the I-th (from 0) of N shares of the points, with a results file of its own "
      "(FILE.I-of-N); auto: as mpirun, srun or a job array says. simtrain merge joins them")(
      "prune", "skip points that cannot be the fastest: those whose lower bound is above a time already simulated")(
      "json", word("FILE"), "write all points as JSON (docs/sweep.schema.json)")("csv", word("FILE"),
                                                                                 "write all points as CSV, one a line")(
      "report", word("FILE"), "write the ranking as a page for a browser, with charts: one file that needs no network");
  return options;
}

// The options that are the same for all points.
void add_others(const po::options_description& from, const std::string& caption, po::options_description& to) {
  po::options_description others(caption);
  for (const auto& option : from.options())
    if (!is_swept(option->long_name()) && option->long_name() != "json") others.add(option);
  to.add(others);
}

std::string text_of_value(const po::variable_value& value) {
  if (const auto* text = boost::any_cast<std::string>(&value.value())) return *text;
  std::string joined;
  for (const std::string& one : value.as<std::vector<std::string>>()) joined += (joined.empty() ? "" : " | ") + one;
  return joined;
}

// As numbers are written, so that 0256 is 256.
std::vector<std::string> whole_numbers(const std::string& option, std::vector<std::string> values) {
  for (std::string& value : values) value = std::to_string(parse_integer("--" + option, value, 1, INT32_MAX));
  return split_list("--" + option, values, Commas::part_of_values);
}

}  // namespace

po::options_description sweep_options() {
  const po::options_description prediction = prediction_options(), job = job_options(1, 0);
  po::options_description options;
  options.add(lists(prediction, job));
  options.add(own_options());
  add_others(prediction, "The simulated cluster", options);
  options.add(replica_options());
  add_others(job, "The training job", options);
  return options;
}

SweepSpace space_from(const po::variables_map& values) {
  SweepSpace space;
  space.grids = swept_grids(whole_numbers("processes", list_of(values, "processes", Commas::between_values)),
                            list_of(values, "grids", Commas::between_values));
  if (!given(values, "platform"))
    throw InputError("--platform: is missing; expected a platform file or specification, such as --platform torus.xml");
  double points = static_cast<double>(space.grids.size());
  for (const char* option : kSweptOptions) {
    std::vector<std::string> chosen = list_of(values, option, commas_of(option));
    if (std::string_view(option) == "batch")
      chosen = chosen.empty() ? std::vector<std::string>{""} : whole_numbers(option, chosen);
    points *= static_cast<double>(chosen.size());
    space.dimensions.push_back({option, std::move(chosen)});
  }
  if (points > static_cast<double>(kMostPoints))
    throw InputError("sweep: " + format_count(points) + " points; expected at most " +
                     format_count(static_cast<double>(kMostPoints)));
  return space;
}

SweepInputs inputs_from(const po::variables_map& values, const SweepJobs& jobs) {
  SweepInputs inputs{jobs.space(), {}, {}};
  const po::options_description known = sweep_options();
  for (const auto& [option, value] : values)
    if (!is_swept(option) && !is_no_input(option))
      inputs.options[option] = is_switch(known.find(option, false)) ? "yes" : text_of_value(value);
  for (const InputFile& file : jobs.files())
    inputs.files[file.option + " '" + file.name + "'"] = sha256_hex(read_file(file.option, file.path));
  return inputs;
}

}  // namespace simtrain
