#include "sim/commands/outputs.hpp"

#include "base/files.hpp"
#include "base/options.hpp"
#include "report/csv.hpp"
#include "report/json.hpp"

namespace po = boost::program_options;

namespace simtrain {

po::options_description output_options() {
  po::options_description options("Other outputs");
  options.add_options()("csv", po::value<std::string>()->value_name("FILE"),
                        "write a row for each layer and phase, for spreadsheets and scripts");
  options.add(trace_options());
  return options;
}

Outputs outputs_from(const po::variables_map& values, const Job& job) {
  Outputs outputs{.trace = trace_from(values, job), .csv_path = {}};
  if (given(values, "csv")) {
    outputs.csv_path = text_of(values, "csv");
    check_writable("--csv", outputs.csv_path);
  }
  return outputs;
}

void write_outputs(const Outputs& outputs, const Job& job, Result result) {
  write_trace(outputs.trace, result, "simtrain");
  result.timeline.reset();
  if (!outputs.csv_path.empty()) write_file(outputs.csv_path, to_csv(result));
  if (!job.json_path.empty()) write_file(job.json_path, to_json(result));
}

}  // namespace simtrain
