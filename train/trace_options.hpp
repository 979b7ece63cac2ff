// --trace, --trace-ranks, --trace-iteration: which timeline is asked for, and where it goes.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <optional>
#include <string>

#include "report/result.hpp"
#include "train/job.hpp"
#include "train/rank_trace.hpp"

namespace simtrain {

boost::program_options::options_description trace_options();

struct TraceOptions {
  std::string path;  // empty: none
  std::optional<TimelineRequest> timeline;
};
// `ranks`: of the job, whose grid may be chosen later. `shown`: a timeline is wanted all the same, for something else
// than a trace, without messages. InputError for ranks and iterations that the job has not, and for those given without
// a timeline.
TraceOptions trace_from(const boost::program_options::variables_map& values, const Job& job, std::int64_t ranks,
                        bool shown = false);

// Where the result has a timeline and a path is given; says on stderr, as `program`, what had to be left out.
void write_trace(const TraceOptions& options, const Result& result, const std::string& program);

// "0-3,17": numbers and ranges from 0 to ranks - 1, each once, by size. InputError for anything else.
std::vector<int> parse_ranks(const std::string& option, const std::string& text, std::int64_t ranks);

}  // namespace simtrain
