#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/units.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/network_text.hpp"
#include "calibrate/profile_state.hpp"
#include "report/table.hpp"

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate show PROFILE tells where and how a profile was measured, and how well its fits predict the samples\n"
    "that were kept aside.\n\n  calibrate show node.json\n";

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
  const std::string kernels = groups.empty() ? "no kernels were measured\n" : table.text();
  const std::string network = to_text(profile.network());
  return describe(profile.certificate()) + "\n" + kernels + (network.empty() ? "" : "\n" + network);
}

int show_command(const std::vector<std::string>& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    std::cout << kUsage;
    return 0;
  }
  for (const std::string& argument : arguments)
    if (argument.starts_with('-')) throw InputError(unknown_choice("option", argument, {"--help"}));
  if (arguments.size() != 1)
    throw InputError("show: " + std::to_string(arguments.size()) + " arguments; expected one, the profile's name");
  std::cout << to_text(Profile::read(find_data_file("profile", "profiles", arguments[0], ".json").string()));
  return 0;
}

}  // namespace simtrain
