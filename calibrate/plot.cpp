#include "calibrate/plot.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "base/error.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/gnuplot.hpp"
#include "calibrate/kernel_times.hpp"

namespace simtrain {
namespace {

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.5g", value);
  return text.data();
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '"' || c == '\\' || c == '\n' ? ' ' : c;
  return result;
}

// A line a product: million multiply-adds, Gflop/s measured and as fitted. What was kept aside shows what the fit is
// worth: the other samples are met by construction.
std::string rows_of(const KernelFit& fit, const std::vector<Sample>& samples) {
  std::string rows;
  for (const Sample& sample : samples) {
    if (!sample.kept_aside) continue;
    const double work =
        static_cast<double>(sample.call.m) * static_cast<double>(sample.call.n) * static_cast<double>(sample.call.k);
    const double gflops = 2e-9 * work;
    rows += number(1e-6 * work) + " " + number(gflops / median(sample.seconds)) + " " +
            number(gflops / fit.predict(sample.call)) + "\n";
  }
  return rows;
}

std::string picture_of(const std::string& commands) {
  std::string picture = run_gnuplot(commands);
  if (picture.starts_with('\f')) picture.erase(0, 1);  // a new page, for printers
  return picture;
}

}  // namespace

std::string plot_products(const Profile& profile, const std::string& format) {
  std::string commands =
      gnuplot_terminal(format) +
      "set logscale x\nset format x \"%g\"\nset key left top\nset grid\nset xlabel \"million multiply-adds, mnk\"\n"
      "set ylabel \"Gflop/s\"\nset title \"" +
      escaped(profile.certificate().machine + ", " + profile.certificate().blas + ", " +
              profile.certificate().blas_core_type) +
      " kernels: products kept aside\" noenhanced\n";
  std::string plots;
  int colour = 1;
  const KernelTimes& times = profile.at({profile.certificate().threads, 1});
  for (const auto& [kernel, samples] : by_kernel(times.samples())) {
    const std::string rows = is_gemm(kernel) ? rows_of(*times.fit(kernel), samples) : "";
    if (rows.empty()) continue;
    const std::string name(name_of(kernel));
    commands += "$" + name + " << END\n" + rows + "END\n";
    for (const auto& [column, what, shape] : {std::tuple{2, "measured", 1}, std::tuple{3, "fitted", 6}})
      plots += (plots.empty() ? "" : ", ") + std::string("$") + name + " using 1:" + std::to_string(column) +
               " with points pt " + std::to_string(shape) + " lc " + std::to_string(colour) + " title \"" +
               name.substr(name.size() - 2) + " " + what + "\"";
    ++colour;
  }
  if (plots.empty()) throw InputError("profile '" + profile.path() + "': no products were kept aside; nothing to draw");
  return picture_of(commands + "plot " + plots + "\n");
}

std::string plot_messages(const Profile& profile, const std::string& format) {
  std::string commands = gnuplot_terminal(format) +
                         "set logscale xy\nset format x \"%g\"\nset format y \"%g\"\nset key left top\nset grid\n"
                         "set xlabel \"bytes\"\nset ylabel \"microseconds\"\nset title \"" +
                         escaped(profile.certificate().machine) + ": messages\" noenhanced\n";
  std::string plots;
  int colour = 1;
  for (const auto& [where, place] :
       {std::pair{"local", &profile.network().local}, {"remote", &profile.network().remote}}) {
    if (!*place) continue;
    for (const auto& [what, curve] :
         {std::pair{"one way", &(*place)->one_way()}, {"exchange", &(*place)->exchange()}}) {
      const std::string name = std::string(where) + (colour % 2 == 1 ? "_one_way" : "_exchange");
      commands += "$" + name + " << END\n";
      for (const MessageSample& sample : curve->samples)
        if (sample.bytes > 0)  // a logarithm has no place for it
          commands += number(static_cast<double>(sample.bytes)) + " " + number(1e6 * sample.measured_s()) + " " +
                      number(1e6 * curve->seconds(sample.bytes)) + "\n";
      commands += "END\n";
      const std::string title = std::string(where) + ", " + what;
      plots += std::string(plots.empty() ? "" : ", ") + "$" + name + " using 1:2 with points pt 6 lc " +
               std::to_string(colour) + " title \"" + title + ", measured\", $" + name + " using 1:3 with lines lc " +
               std::to_string(colour) + " title \"fitted\"";
      ++colour;
    }
  }
  if (plots.empty())
    throw InputError("profile '" + profile.path() + "': no network section; measure messages with 'calibrate network'");
  return picture_of(commands + "plot " + plots + "\n");
}

}  // namespace simtrain
