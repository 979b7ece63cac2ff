// Reports in colour: headings bold, bars of computing cyan and of what is not magenta, warnings yellow.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <string>

namespace simtrain {

// --color auto|always|never
void add_color_option(boost::program_options::options_description& options);

// How reports go to standard output.
struct ReportStyle {
  bool shown = true;   // not where an output has taken it: --json -
  bool color = false;  // what --color says. auto: in colour on a terminal, unless it is a dumb one or the environment
                       // has NO_COLOR (https://no-color.org)
};
// InputError for another word.
ReportStyle report_style(const boost::program_options::variables_map& values);

// The text of a Page (report/page.hpp), whose headings are the lines that are not indented, with the escape sequences
// of ISO 6429 (SGR); without them it is the same.
std::string in_color(const std::string& page);

// To standard output, all of it.
void print_report(const std::string& page, const ReportStyle& style);

}  // namespace simtrain
