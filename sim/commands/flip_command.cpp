#include <cstdio>
#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/progress_line.hpp"
#include "base/units.hpp"
#include "report/color.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/engine/engine.hpp"
#include "sim/prediction/flip.hpp"
#include "sim/prediction/prediction_files.hpp"
#include "train/job_files.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain flip finds at which bandwidth, latency, batch or speed of computing another grid becomes the fastest.\n\n"
    "  simtrain flip bandwidth --platform torus.xml --processes 256\n"
    "  simtrain flip batch --platform torus.xml --grids 32x8,16x16 --from 256 --to 8192\n\n"
    "Every grid is simulated at a few values, then by bisection between those where the fastest one changes.\n\n";

po::options_description flip_options() {
  po::options_description options("The search");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("processes", word("P"), "all grids Pr x Pc = P")("grids", word("GRID,GRID"),
                                                                         "these instead: 32x8,16x16")(
      "from", word("VALUE"), "the least value: 1GBps, 500ns, 0.5 (times the profile's speed), 256; default: 1/16")(
      "to", word("VALUE"), "the largest; default: 16 times what the job has")(
      "jobs", word("N"), "simulations at a time (default: one per core)");
  return options;
}

std::vector<Grid> grids_from(const po::variables_map& values) {
  if (given(values, "processes") == given(values, "grids"))
    throw InputError("--processes, --grids: expected one of both, such as --processes 256");
  if (given(values, "processes"))
    return grids_of(static_cast<int>(parse_integer("--processes", text_of(values, "processes"), 1, 1 << 20)));
  std::vector<Grid> grids;
  const std::string text = text_of(values, "grids");
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    grids.push_back(parse_grid("--grids", text.substr(at, end - at)));
    at = end + 1;
  }
  return grids;
}

std::optional<double> bound_from(const po::variables_map& values, const std::string& option, FlipQuantity quantity) {
  if (!given(values, option)) return std::nullopt;
  const std::string text = text_of(values, option), name = "--" + option;
  switch (quantity) {
    case FlipQuantity::bandwidth:
      return parse_bandwidth_Bps(name, text);
    case FlipQuantity::latency:
      return parse_seconds(name, text);
    case FlipQuantity::compute:
      return parse_positive(name, text);
    case FlipQuantity::batch:
      break;
  }
  return static_cast<double>(parse_integer(name, text, 1, std::int64_t{1} << 30));
}

}  // namespace

FlipQuantity parse_flip_quantity(std::string_view what, std::string_view text) {
  std::vector<std::string> names;
  for (const FlipQuantity one :
       {FlipQuantity::bandwidth, FlipQuantity::latency, FlipQuantity::compute, FlipQuantity::batch}) {
    if (name_of(one) == text) return one;
    names.emplace_back(name_of(one));
  }
  throw InputError(unknown_choice(what, text, names));
}

namespace {

po::options_description all_options() {
  po::options_description options = flip_options();
  add_page_option(options);
  options.add(prediction_options());
  options.add(job_options(1, 0));
  return options;
}

// The quantity is the first argument.
FlipRequest read_request(const std::vector<std::string>& arguments, const po::variables_map& values) {
  FlipRequest request;
  if (arguments.empty() || arguments.front().starts_with('-'))
    throw InputError("flip: expected a quantity: bandwidth, latency, compute or batch");
  request.quantity = parse_flip_quantity("flip", arguments.front());
  request.options = prediction_from(values);
  request.job = job_from(values);
  refuse_auto(request.job.plan.strategy, "the rules that simtrain --strategy auto prints, or another strategy");
  request.grids = grids_from(values);
  if (request.grids.size() < 2) throw InputError("--grids: one grid has none to change to; expected two or more");
  request.least = bound_from(values, "from", request.quantity);
  request.most = bound_from(values, "to", request.quantity);
  if (given(values, "jobs"))
    request.at_a_time = static_cast<int>(parse_integer("--jobs", text_of(values, "jobs"), 1, 1024));
  std::vector<InputFile> files = job_files(values);
  for (InputFile& file : prediction_files(request.options)) files.push_back(std::move(file));
  check_apart(outputs_of(values), names_of(files));
  request.passport = make_passport("simtrain", as_typed("flip", arguments), {{"SimGrid", simgrid_version()}}, files);
  return request;
}

FlipResult find_with_progress(const FlipRequest& request) {
  ProgressLine line;
  return find_flips(request, [&](std::size_t done) {
    const std::string text = std::to_string(done) + " simulations done";
    if (line.on_terminal())
      line.show(text);
    else
      std::fprintf(stderr, "%s\n", text.c_str());
  });
}

}  // namespace

AskedAgain flip_again(const std::vector<std::string>& arguments) {
  const FlipRequest request = read_request(arguments, parse_after_first(arguments, all_options()));
  return {request.passport, [request] { return to_json(find_with_progress(request)); }};
}

int flip_command(const std::vector<std::string>& arguments) {
  const po::options_description options = all_options();
  const po::variables_map values = parse_after_first(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  const FlipRequest request = read_request(arguments, values);
  const ReportStyle style = report_style(values);
  const std::string page_path = page_path_from(values);
  const FlipResult result = find_with_progress(request);
  print_report(to_text(result), style);
  if (!request.job.json_path.empty()) write_file(request.job.json_path, to_json(result));
  if (!page_path.empty()) write_file(page_path, to_page(result));
  return 0;
}

}  // namespace simtrain
