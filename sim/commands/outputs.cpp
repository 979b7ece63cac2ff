#include "sim/commands/outputs.hpp"

#include "base/files.hpp"
#include "base/options.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"
#include "report/pages.hpp"
#include "report/web_page.hpp"

namespace po = boost::program_options;

namespace simtrain {

void add_page_option(po::options_description& options) {
  options.add_options()("report", po::value<std::string>()->value_name("FILE"),
                        "write the report as a page for a browser, with charts: one file that needs no network");
}

std::string page_path_from(const po::variables_map& values) {
  if (!given(values, "report")) return "";
  check_output("--report", text_of(values, "report"));
  check_page_files();
  return text_of(values, "report");
}

po::variables_map parse_after_first(std::vector<std::string> arguments, const po::options_description& options) {
  take_first(arguments);
  return parse_options(arguments, options);
}

std::vector<NamedFile> names_of(const std::vector<InputFile>& files) {
  std::vector<NamedFile> names;
  for (const InputFile& file : files) names.push_back({file.option, file.path});
  return names;
}

std::vector<std::string> as_typed(const std::string& command, const std::vector<std::string>& arguments) {
  std::vector<std::string> all{command};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

po::options_description output_options() {
  po::options_description options("Other outputs");
  options.add_options()("csv", po::value<std::string>()->value_name("FILE"),
                        "write a row for each layer and phase, for spreadsheets and scripts");
  add_page_option(options);
  options.add(trace_options());
  return options;
}

Outputs outputs_from(const po::variables_map& values, const Job& job, std::int64_t ranks) {
  Outputs outputs{.trace = trace_from(values, job, ranks, given(values, "report")), .csv_path = {}, .page_path = {}};
  if (given(values, "csv")) {
    outputs.csv_path = text_of(values, "csv");
    check_output("--csv", outputs.csv_path);
  }
  outputs.page_path = page_path_from(values);
  return outputs;
}

void write_outputs(const Outputs& outputs, const Job& job, Result result) {
  write_trace(outputs.trace, result, "simtrain");
  if (!outputs.page_path.empty()) write_file(outputs.page_path, prediction_page(result));
  result.timeline.reset();
  if (!outputs.csv_path.empty()) write_file(outputs.csv_path, to_csv(result));
  if (!job.json_path.empty()) write_file(job.json_path, to_json(result));
}

}  // namespace simtrain
