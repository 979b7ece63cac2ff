#include "train/trace_options.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "report/trace.hpp"

namespace po = boost::program_options;

namespace simtrain {

po::options_description trace_options() {
  po::options_description options("What some ranks do");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("trace", word("FILE"),
                        "write phases and messages of some ranks in one iteration, for https://ui.perfetto.dev")(
      "trace-ranks", word("LIST"),
      "which ranks, such as 0-3,17 (default: up to 8, the first ones of the first grid column and row)")(
      "trace-iteration", word("N"), "which of the timed iterations, from 1 (default: the last)");
  return options;
}

std::vector<int> parse_ranks(const std::string& option, const std::string& text, std::int64_t ranks) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(option + ": '" + text + "' " + why + "; expected ranks from 0 to " + std::to_string(ranks - 1) +
                     ", such as " + (ranks > 4 ? "0-3," + std::to_string(ranks - 1) : "0"));
  };
  const auto number = [&](const std::string& digits) {
    if (digits.empty() || digits.size() > 9 || digits.find_first_not_of("0123456789") != std::string::npos)
      refuse("is not a list of ranks");
    const int value = std::stoi(digits);
    if (value >= ranks) refuse("names rank " + digits + " of " + std::to_string(ranks));
    return value;
  };
  std::vector<int> chosen;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t dash = part.find('-');
    const int first = number(part.substr(0, dash));
    const int last = dash == std::string::npos ? first : number(part.substr(dash + 1));
    if (last < first) refuse("has the range " + part + ", whose end is before its begin");
    for (int rank = first; rank <= last; ++rank) chosen.push_back(rank);
    at = end + 1;
  }
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

TraceOptions trace_from(const po::variables_map& values, const Job& job, std::int64_t ranks, bool shown) {
  TraceOptions options;
  if (given(values, "trace")) {
    options.path = text_of(values, "trace");
    check_output("--trace", options.path);
  } else if (!shown) {
    for (const char* option : {"trace-ranks", "trace-iteration"})
      if (given(values, option))
        throw InputError("--" + std::string(option) + ": given without --trace; expected the file that is written too");
    return options;
  }
  TimelineRequest request{.messages = !options.path.empty()};
  if (given(values, "trace-ranks")) request.ranks = parse_ranks("--trace-ranks", text_of(values, "trace-ranks"), ranks);
  if (given(values, "trace-iteration"))
    request.iteration =
        static_cast<int>(parse_integer("--trace-iteration", text_of(values, "trace-iteration"), 1, job.iterations));
  options.timeline = std::move(request);
  return options;
}

void write_trace(const TraceOptions& options, const Result& result, const std::string& program) {
  if (options.path.empty() || !result.timeline) return;
  write_trace(options.path, result);
  if (const std::string text = left_out_text(*result.timeline); !text.empty())
    std::fprintf(stderr, "%s: note: trace '%s': %s\n", program.c_str(), printable(options.path).c_str(), text.c_str());
}

}  // namespace simtrain
