// Where a prediction goes besides the terminal.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>

#include "report/result.hpp"
#include "train/job.hpp"
#include "train/trace_options.hpp"

namespace simtrain {

boost::program_options::options_description output_options();

struct Outputs {
  TraceOptions trace;
  std::string csv_path;  // empty: none
};
// InputError for a file that cannot be written, and those of trace_from.
Outputs outputs_from(const boost::program_options::variables_map& values, const Job& job);

// All files that were asked for, --json included.
void write_outputs(const Outputs& outputs, const Job& job, Result result);

}  // namespace simtrain
