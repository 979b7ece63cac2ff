// gnuplot as a child: commands in, a picture out.
#pragma once

#include <string>

namespace simtrain {

// How gnuplot is told to draw an "svg", a "png" or "text" for a terminal; InputError for anything else.
std::string gnuplot_terminal(const std::string& format);

// What gnuplot writes to its standard output for these commands. Failure when it is not installed or refuses.
std::string run_gnuplot(const std::string& commands);

}  // namespace simtrain
