#include "sim/commands/compare_command.hpp"

#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "report/color.hpp"
#include "report/compare.hpp"
#include "report/json.hpp"
#include "report/make_passport.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain compare shows two results that --json wrote side by side: what makes the difference, by layer, phase,\n"
    "collective and link, in order of seconds.\n\n"
    "  simtrain compare native.json simulated.json   what mpitrain measured and simtrain predicted of one job\n"
    "  simtrain compare 32x8.json 16x16.json         two predictions of one network: grids, strategies, platforms\n\n"
    "The native one is the reference, else the first.\n\n";

po::options_description compare_options() {
  po::options_description options("The comparison");
  options.add_options()("json", po::value<std::string>()->value_name("FILE"),
                        "write the comparison as JSON (docs/compare.schema.json); -: to standard output")("help",
                                                                                                          "this text");
  add_color_option(options);
  return options;
}

NamedResult read_result(const std::string& path) { return {path, result_from_json(path, read_file("result", path))}; }

Comparison compare_files(const std::vector<std::string>& files, const std::vector<std::string>& arguments) {
  if (files.size() != 2) {
    std::string found;
    for (const std::string& file : files) found += " '" + file + "'";
    throw InputError("compare: expected two result files, such as native.json simulated.json; found " +
                     (found.empty() ? "none" : std::to_string(files.size()) + ":" + found));
  }
  Comparison comparison = compare(read_result(files[0]), read_result(files[1]));
  comparison.passport = make_passport("simtrain", as_typed("compare", arguments), {},
                                      {{"first result", files[0], files[0]}, {"second result", files[1], files[1]}});
  return comparison;
}

}  // namespace

AskedAgain compare_again(const std::vector<std::string>& arguments) {
  const Comparison comparison = compare_files(arguments, arguments);
  return {*comparison.passport, [comparison] { return comparison_to_json(comparison); }};
}

int compare_command(const std::vector<std::string>& all_arguments) {
  const po::options_description options = compare_options();
  std::vector<std::string> arguments = all_arguments;
  const std::vector<std::string> files = take_files(arguments, {"--json", "--color"});
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  const ReportStyle style = report_style(values);
  const std::string json_path = given(values, "json") ? text_of(values, "json") : "";
  if (given(values, "json")) check_output("--json", json_path);
  std::vector<NamedFile> inputs;
  for (const std::string& file : files)
    inputs.push_back({inputs.empty() ? "the first result" : "the second result", file});
  check_apart(outputs_of(values), inputs);
  const Comparison comparison = compare_files(files, all_arguments);
  if (!json_path.empty()) write_file(json_path, comparison_to_json(comparison));
  print_report(comparison_to_text(comparison), style);
  return 0;
}

}  // namespace simtrain
