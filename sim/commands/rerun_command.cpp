#include "sim/commands/rerun_command.hpp"

#include <algorithm>
#include <iostream>
#include <map>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "report/compare.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "report/passport_json.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/commands/predict_command.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain rerun computes again what a result file says it was asked for, and tells whether the numbers are the "
    "same.\n\n"
    "  simtrain rerun result.json      what --json wrote of a prediction, a sweep or another command\n\n"
    "The files that it was read from must be as they were: their hashes are in the result's passport. Exit status 0: "
    "the\nsame numbers; 1: others.\n\n";

void check_can_be_rerun(const std::string& path, const Result& result) {
  const std::string what = "result '" + path + "': ";
  if (!result.passport) throw InputError(what + "has no passport; expected one that simtrain or mpitrain wrote");
  if (result.passport->program != "simtrain" && result.passport->program != "mpitrain")
    throw InputError(what + "is of '" + result.passport->program + "'; expected one that simtrain or mpitrain wrote");
  if (result.passport->program != "simtrain")
    throw InputError(what + "is of mpitrain; expected a prediction. Run it again with: mpirun -n " +
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

// Of the program, and of what it was made with.
void warn_of_versions(const std::string& then_version, const Passport& then, const Passport& now) {
  if (then_version != SIMTRAIN_VERSION)
    std::cerr << "simtrain: warning: the result is of simtrain " << then_version << ", this is " << SIMTRAIN_VERSION
              << "\n";
  for (const auto& [name, version] : then.versions)
    if (const auto here = now.versions.find(name); here == now.versions.end() || here->second != version)
      std::cerr << "simtrain: warning: the result was made with " << name << " " << version << ", not with "
                << (here == now.versions.end() ? "what is here" : here->second) << "\n";
}

Result without_passport(Result result) {
  result.passport.reset();
  result.version.clear();
  return result;
}

// What was asked for, and the file of the new result; empty: none.
struct Request {
  std::string path, text, json_path;
  bool quiet = false;  // standard output has the new result
};

void say(const Request& request, const std::string& text) { (request.quiet ? std::cerr : std::cout) << text; }

int rerun_prediction(const Request& request) {
  const Result then = result_from_json(request.path, request.text);
  check_can_be_rerun(request.path, then);
  const std::vector<std::string> asked = without_outputs(then.passport->arguments);
  check_inputs(request.path, *then.passport, passport_as_asked(asked));
  const Result now = predict_as_asked(asked);
  warn_of_versions(then.version, *then.passport, *now.passport);
  if (!request.json_path.empty()) write_file(request.json_path, to_json(now));
  if (to_json(without_passport(now)) == to_json(without_passport(then))) {
    say(request, "The same numbers: " + format_seconds(now.iteration_s) + " per iteration, as made on " +
                     then.passport->date + ".\n");
    return 0;
  }
  say(request, "Other numbers.\n\n" + comparison_to_text(compare({request.path, then}, {"now", now})));
  return 1;
}

using Again = AskedAgain (*)(const std::vector<std::string>&);
const std::map<std::string, Again> kCommands{{"sweep", sweep_again},     {"flip", flip_again},
                                             {"cost", cost_again},       {"collective", collective_again},
                                             {"compare", compare_again}, {"describe", describe_again}};

// What may differ although the numbers are the same.
nlohmann::json numbers_of(nlohmann::json document) {
  document.erase("passport");
  document.erase("version");
  if (document.contains("points"))
    for (nlohmann::json& point : document["points"])
      if (point.contains("result")) point["result"].erase("version");  // of a sweep
  return document;
}

int rerun_document(const Request& request, const nlohmann::json& then) {
  JsonObject root("result", request.path, then);
  if (!root.has("passport"))
    throw InputError("result '" + request.path + "': has no passport; expected one that simtrain wrote");
  const std::string version = root.text("version");
  Passport passport = read_passport(root.object("passport"));
  const std::string command = take_first(passport.arguments);
  const auto found = kCommands.find(command);
  if (found == kCommands.end())
    throw InputError("result '" + request.path + "', key 'passport.arguments': begins with '" + command +
                     "'; expected a command of simtrain");
  const AskedAgain again = found->second(without_outputs(passport.arguments));
  check_inputs(request.path, passport, again.passport);
  const std::string text = again.document();
  warn_of_versions(version, passport, again.passport);
  if (!request.json_path.empty()) write_file(request.json_path, text);
  const nlohmann::json before = numbers_of(then), after = numbers_of(nlohmann::json::parse(text));
  if (before.value("schema_version", nlohmann::json()) != after["schema_version"])
    throw InputError("result '" + request.path + "', key 'schema_version': expected " + after["schema_version"].dump() +
                     ", which is what this simtrain writes; run it again with: " +
                     shell_command("simtrain", as_typed(command, passport.arguments)));
  if (before == after) {
    say(request, "The same numbers as made on " + passport.date + ".\n");
    return 0;
  }
  const nlohmann::json difference = nlohmann::json::diff(before, after);
  say(request, "Other numbers: " + counted(static_cast<std::int64_t>(difference.size()), "difference") +
                   ", the first at " + difference.front().at("path").get<std::string>() + ".\n");
  return 1;
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
  Request request{path, read_file("result", path), {}, takes_standard_output(values)};
  if (given(values, "json")) {
    request.json_path = text_of(values, "json");
    check_output("--json", request.json_path);
    check_apart(outputs_of(values), {{"the result", path}});
  }
  const nlohmann::json document = parse_json("result", path, request.text);
  const bool prediction = !document.is_object() || document.value("schema", nlohmann::json()) == kResultSchema;
  return prediction ? rerun_prediction(request) : rerun_document(request, document);
}

}  // namespace simtrain
