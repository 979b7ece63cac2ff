#include "sim/commands/describe_command.hpp"

#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "report/color.hpp"
#include "sim/platform/describe.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain describe tells what a platform is: its hosts, links and routes, and what its halves can send to each\n"
    "other.\n\n"
    "  simtrain describe torus:8x8x4\n"
    "  simtrain describe fat-tree.xml --svg fat-tree.svg\n\n";

}  // namespace

int describe_command(const std::vector<std::string>& arguments) {
  const auto word = [] { return po::value<std::string>()->value_name("FILE"); };
  po::options_description options("The description");
  options.add_options()("json", word(), "write the figures as JSON (docs/platform.schema.json)")(
      "svg", word(), "draw the network (needs Graphviz)")("help", "this text");
  add_color_option(options);
  const bool named = !arguments.empty() && !arguments.front().starts_with('-');
  const po::variables_map values = parse_options({arguments.begin() + (named ? 1 : 0), arguments.end()}, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  if (!named)
    throw InputError("describe: expected a platform, such as torus:8x8x4 or fat-tree.xml, before the options");
  for (const char* option : {"json", "svg"})
    if (given(values, option)) check_writable(std::string("--") + option, text_of(values, option));
  const bool color = wants_color(values);
  const Described described = describe_platform(arguments.front(), given(values, "svg"));
  if (given(values, "json")) write_file(text_of(values, "json"), to_json(described.platform));
  if (given(values, "svg")) write_file(text_of(values, "svg"), described.svg);
  print_report(to_text(described.platform), color);
  return 0;
}

}  // namespace simtrain
