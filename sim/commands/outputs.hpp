// Where a prediction goes besides the terminal.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>
#include <vector>

#include "base/apart.hpp"
#include "report/make_passport.hpp"
#include "report/result.hpp"
#include "train/job.hpp"
#include "train/trace_options.hpp"

namespace simtrain {

boost::program_options::options_description output_options();

// --report, of predictions and sweeps. InputError for a file that cannot be written, or without the parts of a page.
void add_page_option(boost::program_options::options_description& options);
std::string page_path_from(const boost::program_options::variables_map& values);  // empty: none

// The options after a first argument that is none: an operation, a quantity.
boost::program_options::variables_map parse_after_first(std::vector<std::string> arguments,
                                                        const boost::program_options::options_description& options);

// For check_apart (base/apart.hpp).
std::vector<NamedFile> names_of(const std::vector<InputFile>& files);

// The arguments of a passport: the command and what came after it.
std::vector<std::string> as_typed(const std::string& command, const std::vector<std::string>& arguments);

struct Outputs {
  TraceOptions trace;
  std::string csv_path, page_path;  // empty: none
};
// InputError for a file that cannot be written, and those of trace_from.
// `ranks`: of the job, whose grid may be chosen later.
Outputs outputs_from(const boost::program_options::variables_map& values, const Job& job, std::int64_t ranks);

// All files that were asked for, --json included.
void write_outputs(const Outputs& outputs, const Job& job, Result result);

}  // namespace simtrain
