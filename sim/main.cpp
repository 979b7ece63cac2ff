// simtrain: predicts the time of a training iteration on a simulated cluster.
#include "base/error.hpp"
#include "sim/commands/compare_command.hpp"
#include "sim/commands/cost_command.hpp"
#include "sim/commands/describe_command.hpp"
#include "sim/commands/doctor_command.hpp"
#include "sim/commands/help_command.hpp"
#include "sim/commands/predict_command.hpp"
#include "sim/commands/rerun_command.hpp"
#include "sim/commands/sweep_command.hpp"
#include "sim/prediction/collective_job.hpp"
#include "sim/prediction/flip.hpp"

namespace simtrain {
namespace {

int run(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return predict_command(arguments);
  const std::string command = arguments.front();
  arguments.erase(arguments.begin());
  if (command == "sweep") return sweep_command(arguments);
  if (command == "merge") return merge_command(arguments);
  if (command == "cost") return cost_command(arguments);
  if (command == "compare") return compare_command(arguments);
  if (command == "collective") return collective_command(arguments);
  if (command == "rerun") return rerun_command(arguments);
  if (command == "help") return help_command(arguments);
  if (command == "doctor") return doctor_command(arguments);
  if (command == "flip") return flip_command(arguments);
  if (command == "describe") return describe_command(arguments);
  throw InputError(unknown_choice(
      "command", command,
      {"sweep", "merge", "cost", "compare", "rerun", "flip", "collective", "describe", "help", "doctor"}));
}

}  // namespace
}  // namespace simtrain

int main(int argc, char** argv) {
  return simtrain::run_guarded("simtrain", [&] { return simtrain::run({argv + 1, argv + argc}); });
}
