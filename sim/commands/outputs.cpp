#include "sim/commands/outputs.hpp"

#include "base/files.hpp"
#include "base/options.hpp"
#include "report/json.hpp"

namespace po = boost::program_options;

namespace simtrain {

po::options_description output_options() { return trace_options(); }

Outputs outputs_from(const po::variables_map& values, const Job& job) { return {.trace = trace_from(values, job)}; }

void write_outputs(const Outputs& outputs, const Job& job, Result result) {
  write_trace(outputs.trace, result, "simtrain");
  result.timeline.reset();
  if (!job.json_path.empty()) write_file(job.json_path, to_json(result));
}

}  // namespace simtrain
