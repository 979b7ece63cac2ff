// Command lines and scenario files, by Boost.Program_options, with our error texts.
//
// A scenario file holds the same keys as the command line, one "key = value" a line; "#" starts a comment. The command
// line wins. A switch, which has no value on the command line, is "key = yes" or "key = no" (also true, on, 1 and
// nothing; false, off, 0), and "no" is the same as no line. There are no sections, and neither "help" nor "version".
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

namespace simtrain {

// Parses `arguments` (without the program's name) by `known`. If `known` has an option "scenario" and it is given, the
// keys of that file (shipped scenarios by name) fill what the command line leaves open. Abbreviated and positional
// arguments are refused. InputError for an unknown option (with the nearest), a missing or repeated value, a bad line.
// `one_of`: options that say the same in different words. Once the command line gives one of them, the scenario's are
// not looked at.
boost::program_options::variables_map parse_options(const std::vector<std::string>& arguments,
                                                    const boost::program_options::options_description& known,
                                                    const std::vector<std::string>& one_of = {});

// The value of an option that was given, or of its default.
std::string text_of(const boost::program_options::variables_map& values, const std::string& option);
// Whether it takes no value on the command line.
bool is_switch(const boost::program_options::option_description& option);
bool given(const boost::program_options::variables_map& values, const std::string& option);

// Takes the first argument out if it stands alone, before any option: the file of `calibrate show FILE --plot ...`.
// Empty if there is none.
std::string take_first(std::vector<std::string>& arguments);

// Takes out all arguments that stand alone: those that are neither options nor the values of options `with_value`
// ("--json"). For commands on several files.
std::vector<std::string> take_files(std::vector<std::string>& arguments, const std::vector<std::string>& with_value);

// The command as it can be typed again, quoted for a shell where needed.
std::string shell_command(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace simtrain
