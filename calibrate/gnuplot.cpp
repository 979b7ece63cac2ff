#include "calibrate/gnuplot.hpp"

#include "base/error.hpp"
#include "base/filter.hpp"

namespace simtrain {

std::string gnuplot_terminal(const std::string& format) {
  if (format == "svg") return "set terminal svg size 900,600 dynamic background 'white' font 'sans,13'\n";
  if (format == "png") return "set terminal pngcairo size 900,600 font 'sans,11'\n";
  if (format == "text") return "set terminal dumb 100 30 noenhanced mono\n";
  throw InputError("picture '" + format + "' is not known; expected svg, png or text");
}

std::string run_gnuplot(const std::string& commands) { return run_filter("gnuplot", {}, commands, "gnuplot-nox"); }

}  // namespace simtrain
