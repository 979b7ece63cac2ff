#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/plot.hpp"
#include "calibrate/profile_state.hpp"
#include "report/table.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate show PROFILE tells where and how a profile was measured, and how well its fits predict the samples\n"
    "that were kept aside.\n\n"
    "  calibrate show node.json\n"
    "  calibrate show node.json --plot node.svg\n\n";

po::options_description options() {
  po::options_description options("Options");
  options.add_options()("plot", po::value<std::string>()->value_name("FILE"),
                        "draw the products kept aside, measured and fitted: an .svg or .png file, or - for the "
                        "terminal (needs gnuplot)")("help", "this text");
  return options;
}

std::string line(const std::string& name, const std::string& value) {
  return name + std::string(14 - std::min<std::size_t>(13, name.size()), ' ') + printable(value) + "\n";
}

std::string describe(const Certificate& certificate) {
  return line("machine", certificate.machine) + line("cpu", certificate.cpu) + line("blas", certificate.blas) +
         line("core type", certificate.blas_core_type) + line("environment", certificate.environment) +
         line("compiler", certificate.compiler) + line("threads", std::to_string(certificate.threads)) +
         line("operands", certificate.operands) + line("date", certificate.date) +
         line("command", certificate.command) + line("seed", std::to_string(certificate.seed));
}

}  // namespace

std::string to_text(const Profile& profile) {
  using Align = Table::Align;
  Table table({{"kernel", Align::left},
               {"shapes", Align::right},
               {"kept aside", Align::right},
               {"fit", Align::left},
               {"median", Align::right, "error on samples kept aside"},
               {"95th percentile", Align::right, "error on samples kept aside"},
               {"worst", Align::right, "error on samples kept aside"}});
  const auto groups = by_kernel(profile.samples());
  for (const auto& [kernel, error] : profile.errors()) {
    const auto percent = [&](double value) { return error.samples == 0 ? "-" : format_percent(value); };
    table.row({std::string(name_of(kernel)), std::to_string(groups.at(kernel).size()), std::to_string(error.samples),
               std::string(name_of(profile.method(kernel))), percent(error.median), percent(error.percentile95),
               percent(error.worst)});
  }
  return describe(profile.certificate()) + "\n" + table.text();
}

int show_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = arguments;
  std::string name;
  if (!rest.empty() && !rest.front().starts_with('-')) {
    name = rest.front();
    rest.erase(rest.begin());
  }
  const po::variables_map values = parse_options(rest, options());
  if (given(values, "help")) {
    std::cout << kUsage << options();
    return 0;
  }
  if (name.empty()) throw InputError("show: no profile; expected its name first (--help tells more)");
  const std::string picture = given(values, "plot") ? text_of(values, "plot") : "";
  const std::string format = picture.substr(picture.rfind('.') == std::string::npos ? 0 : picture.rfind('.') + 1);
  if (!picture.empty() && picture != "-") {
    if (format != "svg" && format != "png")
      throw InputError("--plot: '" + picture + "' is not valid; expected a name ending in .svg or .png, or - for text");
    check_writable("--plot", picture);
  }
  const Profile profile = Profile::read(find_data_file("profile", "profiles", name, ".json").string());
  std::cout << to_text(profile);
  if (picture == "-")
    std::cout << "\n" << plot_products(profile, "text");
  else if (!picture.empty())
    write_file(picture, plot_products(profile, format));
  return 0;
}

}  // namespace simtrain
