// Another program as a filter: text in, text out.
#pragma once

#include <string>
#include <vector>

namespace simtrain {

// What `program`, found on PATH, writes to its standard output when `input` is its standard input. Failure when it is
// not installed (naming the Debian package that has it) or does not exit with 0 (with what it said).
std::string run_filter(const std::string& program, const std::vector<std::string>& arguments, const std::string& input,
                       const std::string& package);

}  // namespace simtrain
