#include <iostream>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "report/color.hpp"
#include "sim/commands/again.hpp"
#include "sim/commands/outputs.hpp"
#include "sim/engine/engine.hpp"
#include "sim/platform/platform.hpp"
#include "sim/prediction/collective_job.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr const char* kUsage =
    "simtrain collective simulates one collective alone and tells its time and bandwidths as nccl-tests does.\n\n"
    "  simtrain collective all-reduce --bytes 64MiB --processes 1024 --algorithm ring --platform torus:1024\n\n"
    "Operations: all-reduce, all-gather, reduce-scatter. --bytes is the size of the whole array.\n\n";

po::options_description collective_options() {
  po::options_description options("The collective");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("bytes", word("SIZE"), "of the whole array, a multiple of 4B: 64MiB")(
      "processes", word("P"), "of the collective, a grid of one column")(
      "algorithm", word("NAME")->default_value("auto"),
      "ring, recursive-doubling, rabenseifner, bruck, mpi (the library's own), auto")(
      "platform", word("FILE|SPEC"), "SimGrid XML or one word, as for a prediction")(
      "profile", word("NAME|FILE"), "measured kernel times, for the additions (default: additions take no time)")(
      "detail", word("HOW")->default_value("auto"), "messages, merged or auto, as for a prediction")(
      "json", word("FILE"), "write the figures as JSON (docs/collective.schema.json)")("help", "this text");
  add_color_option(options);
  options.add(placement_options());
  options.add(slow_parts_options());
  return options;
}

CollectiveOp parse_operation(const std::string& text) {
  std::vector<std::string> names;
  for (const CollectiveOp one : {CollectiveOp::all_reduce, CollectiveOp::all_gather, CollectiveOp::reduce_scatter}) {
    if (name_of(one) == text) return one;
    names.emplace_back(name_of(one));
  }
  throw InputError(unknown_choice("collective", text, names));
}

const std::string& required(const po::variables_map& values, const std::string& option, const char* example) {
  if (!given(values, option))
    throw InputError("--" + option + ": is missing; expected a value, such as --" + option + " " + example);
  return values[option].as<std::string>();
}

// The operation is the first argument.
std::pair<CollectiveJob, Passport> read_job(const std::vector<std::string>& arguments,
                                            const po::variables_map& values) {
  if (arguments.empty() || arguments.front().starts_with('-'))
    throw InputError("collective: expected an operation: all-reduce, all-gather or reduce-scatter");
  CollectiveJob job;
  job.operation = parse_operation(arguments.front());
  job.bytes = parse_bytes("--bytes", required(values, "bytes", "64MiB"));
  // The last is what a phantom can stand for (kernels/modelled.cpp), with room to spare.
  if (job.bytes % 4 != 0 || job.bytes > std::int64_t{1} << 42)
    throw InputError("--bytes: '" + text_of(values, "bytes") + "' is not valid; expected a multiple of 4B up to 4TiB");
  job.processes = static_cast<int>(parse_integer("--processes", required(values, "processes", "1024"), 1, 1 << 20));
  job.algorithm = parse_algorithm("--algorithm", text_of(values, "algorithm"));
  job.platform = required(values, "platform", "torus:16x16x16");
  job.where = placement_from(values);
  if (job.where.placement.kind == Placement::Kind::automatic)
    throw InputError(
        "--placement: 'auto' is not possible for one collective; expected column-major, blocks, row-blocks, "
        "snake, random:SEED or a hostfile");
  job.detail = parse_detail("--detail", text_of(values, "detail"));
  std::vector<InputFile> files;
  if (const auto path = platform_file(job.platform)) files.push_back({"platform", job.platform, *path});
  if (given(values, "profile")) {
    job.profile = text_of(values, "profile");
    files.push_back({"profile", *job.profile, find_data_file("profile", "profiles", *job.profile, ".json")});
  }
  if (given(values, "json")) check_output("--json", text_of(values, "json"));
  check_apart(outputs_of(values), names_of(files));
  return {job, make_passport("simtrain", as_typed("collective", arguments), {{"SimGrid", simgrid_version()}}, files)};
}

CollectiveFigures simulate(const std::pair<CollectiveJob, Passport>& asked) {
  CollectiveFigures figures = simulate_collective(asked.first);
  figures.passport = asked.second;
  return figures;
}

}  // namespace

AskedAgain collective_again(const std::vector<std::string>& arguments) {
  const auto asked = read_job(arguments, parse_after_first(arguments, collective_options()));
  return {asked.second, [asked] { return to_json(simulate(asked)); }};
}

int collective_command(const std::vector<std::string>& arguments) {
  const po::options_description options = collective_options();
  const po::variables_map values = parse_after_first(arguments, options);
  if (given(values, "help")) {
    std::cout << kUsage << options;
    return 0;
  }
  const ReportStyle style = report_style(values);
  const CollectiveFigures figures = simulate(read_job(arguments, values));
  print_report(to_text(figures), style);
  if (given(values, "json")) write_file(text_of(values, "json"), to_json(figures));
  return 0;
}

}  // namespace simtrain
