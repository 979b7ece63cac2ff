#include "sim/commands/rerun_command.hpp"

#include <algorithm>
#include <array>
#include <iostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "report/compare.hpp"
#include "report/json.hpp"
#include "sim/commands/predict_command.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain rerun predicts again what a result file says it was asked for, and tells whether the numbers are the "
    "same.\n\n"
    "  simtrain rerun result.json\n\n"
    "The files that it was read from must be as they were: their hashes are in the result's passport. Exit status 0: "
    "the\nsame numbers; 1: others.\n\n";

// Where results and reports went is no part of what was predicted.
std::vector<std::string> without_outputs(const std::vector<std::string>& arguments) {
  constexpr std::array outputs{"--json",   "--csv",  "--trace", "--trace-ranks", "--trace-iteration",
                               "--report", "--color"};
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    const auto is_it = [&](const char* name) { return one == name; };
    const auto holds_it = [&](const char* name) { return one.starts_with(std::string(name) + "="); };
    if (std::any_of(outputs.begin(), outputs.end(), is_it))
      ++i;
    else if (std::none_of(outputs.begin(), outputs.end(), holds_it))
      kept.push_back(one);
  }
  return kept;
}

void check_can_be_rerun(const std::string& path, const Result& result) {
  const std::string what = "result '" + path + "': ";
  if (!result.passport) throw InputError(what + "has no passport; expected one that simtrain or mpitrain wrote");
  if (result.passport->program != "simtrain")
    throw InputError(what + "is of " + result.passport->program +
                     "; expected a prediction. Run it again with: mpirun -n " +
                     std::to_string(result.job.grid_rows * result.job.grid_columns) + " " +
                     shell_command(result.passport->program, result.passport->arguments));
}

// "profile 'my-node'": what is not as it was.
void check_inputs(const std::string& path, const Passport& then, const Passport& now) {
  for (const PassportInput& input : then.inputs) {
    const auto same = std::find_if(now.inputs.begin(), now.inputs.end(), [&](const PassportInput& one) {
      return one.option == input.option && one.name == input.name;
    });
    if (same == now.inputs.end() || same->sha256 != input.sha256)
      throw InputError("result '" + path + "': " + input.option + " '" + input.name + "' is not what it was (SHA-256 " +
                       input.sha256.substr(0, 12) + "…" +
                       (same == now.inputs.end() ? "" : ", now " + same->sha256.substr(0, 12) + "…") +
                       "); expected the same contents");
  }
}

void warn_of_versions(const Result& then, const Result& now) {
  if (then.version != now.version)
    std::cerr << "simtrain: warning: the result is of simtrain " << then.version << ", this is " << now.version << "\n";
  for (const auto& [name, version] : then.passport->versions)
    if (const auto here = now.passport->versions.find(name);
        here == now.passport->versions.end() || here->second != version)
      std::cerr << "simtrain: warning: the result was made with " << name << " " << version << ", not with "
                << (here == now.passport->versions.end() ? "what is here" : here->second) << "\n";
}

Result without_passport(Result result) {
  result.passport.reset();
  result.version.clear();
  return result;
}

}  // namespace

int rerun_command(std::vector<std::string> arguments) {
  po::options_description options("The result");
  options.add_options()("json", po::value<std::string>()->value_name("FILE"), "write the new result")("help",
                                                                                                      "this text");
  const std::string path = take_first(arguments);
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  if (path.empty()) throw InputError("rerun: expected a result file, such as result.json");
  const Result then = result_from_json(path, read_file("result", path));
  check_can_be_rerun(path, then);
  if (given(values, "json")) check_writable("--json", text_of(values, "json"));
  const std::vector<std::string> asked = without_outputs(then.passport->arguments);
  check_inputs(path, *then.passport, passport_as_asked(asked));
  const Result now = predict_as_asked(asked);
  warn_of_versions(then, now);
  if (given(values, "json")) write_file(text_of(values, "json"), to_json(now));
  if (to_json(without_passport(now)) == to_json(without_passport(then))) {
    std::cout << "The same numbers: " << format_seconds(now.iteration_s) << " per iteration, as made on "
              << then.passport->date << ".\n";
    return 0;
  }
  std::cout << "Other numbers.\n\n" << comparison_to_text(compare({path, then}, {"now", now}));
  return 1;
}

}  // namespace simtrain
