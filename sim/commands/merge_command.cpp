#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "report/color.hpp"
#include "report/sweep.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/commands/sweep_command.hpp"
#include "sim/sweep/assemble.hpp"
#include "sim/sweep/share.hpp"
#include "sim/sweep/timeline.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain merge joins the results files of one sweep, those of its shares or of one that still runs, and prints "
    "what\n"
    "simtrain sweep would have printed, also which points are missing. Only for the page of --report the fastest point "
    "is\n"
    "simulated once more, where the files that the sweep was made from are here.\n\n"
    "  simtrain merge grids.*-of-64.jsonl --json grids.json\n\n"
    "Exit status 1: points are missing.\n\n";

// One after the other, as if all lines stood in the first.
ResultsFile read_all(const std::vector<std::string>& paths) {
  ResultsFile all;
  for (const std::string& path : paths) {
    ResultsFile one = read_results(path);
    if (one.cut_off)
      std::fprintf(stderr, "simtrain: note: results file '%s' ends in half a line, which is left out\n",
                   printable(path).c_str());
    if (&path == &paths.front()) {
      all = std::move(one);
      continue;
    }
    check_same_sweep(path, one.inputs, paths.front(), all.inputs);
    for (auto& [point, state] : one.states) {
      try {
        join(all.states[point], std::move(state));
      } catch (const InputError& error) {
        throw InputError("results file '" + path + "', point " + std::to_string(point) + ": " + error.what());
      }
    }
  }
  return all;
}

// Files are named by their shares (file_of, sim/sweep/share.hpp): 0-of-2 and 1-of-3 are no whole, though all points may
// be there.
void warn_of_mixed_shares(const std::vector<std::string>& paths) {
  const std::string* first = nullptr;
  std::int64_t count = 0;
  for (const std::string& path : paths) {
    const std::optional<Share> share = share_of_file(path);
    if (!share) continue;
    if (first != nullptr && share->count != count) {
      std::fprintf(
          stderr,
          "simtrain: warning: '%s' is one of %ld shares, '%s' one of %ld: shares of one number have all points "
          "once\n",
          first->c_str(), static_cast<long>(count), path.c_str(), static_cast<long>(share->count));
      return;
    }
    first = &path;
    count = share->count;
  }
}

}  // namespace

int merge_command(const std::vector<std::string>& all_arguments) {
  po::options_description options("The merged sweep");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("json", word("FILE"), "write all points as JSON (docs/sweep.schema.json)")(
      "csv", word("FILE"), "write all points as CSV, one a line")("help", "this text");
  add_page_option(options);
  add_color_option(options);
  std::vector<std::string> arguments = all_arguments;
  const std::vector<std::string> paths = take_files(arguments, {"--json", "--csv", "--report", "--color"});
  const po::variables_map values = parse_options(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  if (paths.empty())
    throw InputError("merge: expected the results files of a sweep, such as grids.*-of-8.jsonl; found none");
  for (const char* option : {"json", "csv"})
    if (given(values, option)) check_output("--" + std::string(option), text_of(values, option));
  const ReportStyle style = report_style(values);
  const std::string page_path = page_path_from(values);
  std::vector<NamedFile> inputs;
  for (const std::string& path : paths) inputs.push_back({"results", path});
  check_apart(outputs_of(values), inputs);
  warn_of_mixed_shares(paths);
  const ResultsFile all = read_all(paths);
  const Sweep sweep = assemble(all.inputs, all.states, {});
  print_report(sweep_to_text(sweep), style);
  if (given(values, "json")) write_file(text_of(values, "json"), sweep_to_json(sweep));
  if (given(values, "csv")) write_file(text_of(values, "csv"), sweep_to_csv(sweep));
  if (!page_path.empty())
    write_file(page_path, sweep_to_page(sweep, timeline_of_fastest(sweep, paths.front(), all.inputs)));
  const auto missing =
      std::count_if(sweep.points.begin(), sweep.points.end(), [](const SweepPoint& point) { return point.failed; });
  if (missing == 0) return 0;
  std::fprintf(stderr, "simtrain: warning: %ld of %zu points are missing\n", static_cast<long>(missing),
               sweep.points.size());
  return 1;
}

}  // namespace simtrain
