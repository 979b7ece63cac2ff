#include "sim/commands/describe_command.hpp"

#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "report/color.hpp"
#include "report/make_passport.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/engine/engine.hpp"
#include "sim/platform/describe.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain describe tells what a platform is: its hosts, links and routes, and what its halves can send to each\n"
    "other.\n\n"
    "  simtrain describe torus:8x8x4\n"
    "  simtrain describe fat-tree.xml --svg fat-tree.svg\n\n";

po::options_description describe_options() {
  const auto word = [] { return po::value<std::string>()->value_name("FILE"); };
  po::options_description options("The description");
  options.add_options()("json", word(), "write the figures as JSON (docs/platform.schema.json); -: to standard output")(
      "svg", word(), "draw the network (needs Graphviz)")("help", "this text");
  add_color_option(options);
  return options;
}

Described describe(const std::string& name, bool svg, const std::vector<std::string>& arguments,
                   const std::vector<NamedFile>& outputs) {
  std::vector<InputFile> files;
  if (const auto path = platform_file(name)) files.push_back({"platform", name, *path});
  check_apart(outputs, names_of(files));
  Described described = describe_platform(name, svg);
  described.platform.passport =
      make_passport("simtrain", as_typed("describe", arguments), {{"SimGrid", simgrid_version()}}, files);
  return described;
}

}  // namespace

AskedAgain describe_again(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw InputError("describe: expected one platform, such as torus:8x8x4 or fat-tree.xml");
  const Described described = describe(arguments.front(), false, arguments, {});
  return {*described.platform.passport, [described] { return to_json(described.platform); }};
}

int describe_command(const std::vector<std::string>& all_arguments) {
  const po::options_description options = describe_options();
  std::vector<std::string> arguments = all_arguments;
  const std::string name = take_first(arguments);
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  if (name.empty())
    throw InputError("describe: expected a platform, such as torus:8x8x4 or fat-tree.xml, before the options");
  for (const char* option : {"json", "svg"})
    if (given(values, option)) check_output(std::string("--") + option, text_of(values, option));
  const ReportStyle style = report_style(values);
  const Described described = describe(name, given(values, "svg"), all_arguments, outputs_of(values));
  if (given(values, "json")) write_file(text_of(values, "json"), to_json(described.platform));
  if (given(values, "svg")) write_file(text_of(values, "svg"), described.svg);
  print_report(to_text(described.platform), style);
  return 0;
}

}  // namespace simtrain
