// calibrate: measures a machine and writes a profile, from which simtrain predicts computing times.
#include <iostream>

#include "base/error.hpp"
#include "calibrate/check_command.hpp"
#include "calibrate/import_command.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/network_command.hpp"

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate measures what training costs on this machine.\n\n"
    "  calibrate kernels --output node.json                 measure the kernels on one core, write a profile\n"
    "  mpirun -n 2 calibrate network --add-to node.json     measure messages, add them to it\n"
    "  calibrate show node.json                             tell what a profile holds and how good it is\n"
    "  calibrate check node.json                            does this machine still take the profile's times?\n"
    "  calibrate import gemms.csv ...                       a profile from products measured elsewhere\n\n"
    "calibrate COMMAND --help tells the options.\n";

int run(std::vector<std::string> arguments) {
  if (arguments.empty())
    throw InputError("no command; expected kernels, network, show, check or import (--help tells more)");
  const std::string command = arguments.front();
  arguments.erase(arguments.begin());
  if (command == "--help") {
    std::cout << kUsage;
    return 0;
  }
  if (command == "--version") {
    std::cout << "calibrate " << SIMTRAIN_VERSION << "\n";
    return 0;
  }
  if (command == "kernels") return kernels_command(arguments);
  if (command == "network") return network_command(arguments);
  if (command == "check") return check_command(arguments);
  if (command == "import") return import_command(arguments);
  if (command == "show") return show_command(arguments);
  throw InputError(
      unknown_choice("command", command, {"kernels", "network", "show", "check", "import", "--help", "--version"}));
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) {
  return simtrain::run_guarded("calibrate", [&] { return simtrain::run({argv + 1, argv + argc}); });
}
