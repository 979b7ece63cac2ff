#include "sim/commands/compare_command.hpp"

#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "report/color.hpp"
#include "report/compare.hpp"
#include "report/json.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain compare shows two results that --json wrote side by side: what makes the difference, by layer, phase,\n"
    "collective and link, in order of seconds.\n\n"
    "  simtrain compare native.json simulated.json   what mpitrain measured and simtrain predicted of one job\n"
    "  simtrain compare 32x8.json 16x16.json         two predictions of one network: grids, strategies, platforms\n\n"
    "The native one is the reference, else the first.\n\n";

NamedResult read_result(const std::string& path) { return {path, result_from_json(path, read_file("result", path))}; }

}  // namespace

int compare_command(const std::vector<std::string>& all_arguments) {
  po::options_description options("The comparison");
  options.add_options()("json", po::value<std::string>()->value_name("FILE"),
                        "write the comparison as JSON (docs/compare.schema.json)")("help", "this text");
  add_color_option(options);
  std::vector<std::string> arguments = all_arguments;
  const std::vector<std::string> files = take_files(arguments, {"--json", "--color"});
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  if (files.size() != 2) {
    std::string found;
    for (const std::string& file : files) found += " '" + file + "'";
    throw InputError("compare: expected two result files, such as native.json simulated.json; found " +
                     (found.empty() ? "none" : std::to_string(files.size()) + ":" + found));
  }
  const bool color = wants_color(values);
  const std::string json_path = given(values, "json") ? text_of(values, "json") : "";
  if (given(values, "json")) check_writable("--json", json_path);
  check_apart(outputs_of(values), {{"the first result", files[0]}, {"the second result", files[1]}});
  const Comparison comparison = compare(read_result(files[0]), read_result(files[1]));
  if (!json_path.empty()) write_file(json_path, comparison_to_json(comparison));
  print_report(comparison_to_text(comparison), color);
  return 0;
}

}  // namespace simtrain
