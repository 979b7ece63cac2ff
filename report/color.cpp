#include "report/color.hpp"

#include <unistd.h>

#include <boost/program_options.hpp>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string_view>

#include "base/apart.hpp"
#include "base/error.hpp"
#include "base/options.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr std::string_view kPlain = "\033[0m", kBold = "\033[1m", kYellow = "\033[33m", kMagenta = "\033[35m",
                           kCyan = "\033[36m";
constexpr std::string_view kBar = "█", kWarning = "  WARNING: ";

std::string painted(std::string_view color, std::string_view text) {
  return std::string(color) + std::string(text) + std::string(kPlain);
}

// The one bar of a line, up to its end.
std::string with_bar(const std::string& line) {
  const std::size_t bar = line.find(kBar);
  if (bar == std::string::npos) return line;
  const bool computing = line.find_first_not_of(' ') == line.find("compute");
  return line.substr(0, bar) + painted(computing ? kCyan : kMagenta, std::string_view(line).substr(bar));
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

void add_color_option(po::options_description& options) {
  options.add_options()("color", po::value<std::string>()->value_name("WHEN")->default_value("auto"),
                        "of the text: always, never, or auto (on a terminal, unless NO_COLOR is set)");
}

namespace {

bool wants_color(const po::variables_map& values) {
  const std::string when = text_of(values, "color");
  if (when == "always" || when == "never") return when == "always";
  if (when != "auto") throw InputError(unknown_choice("--color", when, {"auto", "always", "never"}));
  // mpirun gives ranks a terminal of its own, whatever its own output is.
  if (!environment("OMPI_COMM_WORLD_SIZE").empty()) return false;
  return ::isatty(STDOUT_FILENO) == 1 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

}  // namespace

ReportStyle report_style(const po::variables_map& values) {
  return {.shown = !takes_standard_output(values), .color = wants_color(values)};
}

std::string in_color(const std::string& page) {
  std::string text;
  std::istringstream lines(page);
  bool warning = false;  // and what follows is indented as its text is
  for (std::string line; std::getline(lines, line);) {
    warning = line.starts_with(kWarning) || (warning && line.starts_with(std::string(kWarning.size(), ' ')));
    if (warning)
      text += painted(kYellow, line);
    else if (!line.empty() && line.front() != ' ')
      text += painted(kBold, line);
    else
      text += with_bar(line);
    if (!lines.eof()) text += '\n';
  }
  return text;
}

void print_report(const std::string& page, const ReportStyle& style) {
  if (style.shown) std::cout << (style.color ? in_color(page) : page) << std::flush;
}

}  // namespace simtrain
