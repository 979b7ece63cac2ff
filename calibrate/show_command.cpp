#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/kernel_times.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/network_text.hpp"
#include "calibrate/plot.hpp"
#include "calibrate/workbench.hpp"
#include "report/table.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate show PROFILE tells where and how a profile was measured, and how well its fits predict the samples\n"
    "that were kept aside.\n\n"
    "  calibrate show node.json\n"
    "  calibrate show node.json --plot node.svg\n\n";

po::options_description options() {
  po::options_description options("Options");
  options.add_options()("plot", po::value<std::string>()->value_name("FILE"),
                        "draw the products kept aside, measured and fitted: an .svg or .png file, or - for the "
                        "terminal (needs gnuplot)")("plot-messages", po::value<std::string>()->value_name("FILE"),
                                                    "the same for messages, time over size")("help", "this text");
  return options;
}

std::string line(const std::string& name, const std::string& value) {
  return name + std::string(14 - std::min<std::size_t>(13, name.size()), ' ') + printable(value) + "\n";
}

std::string describe(const Certificate& certificate) {
  return line("machine", certificate.machine) + line("cpu", certificate.cpu) + line("blas", certificate.blas) +
         line("core type", certificate.blas_core_type) + line("environment", certificate.environment) +
         line("compiler", certificate.compiler) + line("threads", std::to_string(certificate.threads)) +
         line("operands", certificate.operands) + line("date", certificate.date) +
         line("command", certificate.command) + line("seed", std::to_string(certificate.seed));
}

}  // namespace

namespace {

// How far repetitions of a call lie from their median: 5th and 95th percentile over all calls of a kernel.
std::string noise_of(const std::vector<Sample>& samples) {
  std::vector<double> ratios;
  // Of what was measured once nobody knows how it varies.
  if (std::all_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.seconds.size() == 1; }))
    return "-";
  for (const Sample& sample : samples)
    for (const double seconds : sample.seconds) ratios.push_back(seconds / median(sample.seconds) - 1);
  std::sort(ratios.begin(), ratios.end());
  const auto at = [&](double share) {
    return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
  };
  return format_percent(at(0.05)) + " to " + format_percent(at(0.95));
}

// What a kernel that is not a product moves per second, by the size of its m floats: through the caches into memory.
std::string bandwidths(const std::map<Kernel, std::vector<Sample>>& groups) {
  using Align = Table::Align;
  const std::vector<std::pair<std::string, std::int64_t>> sizes{{"64 KiB", 64 << 10},
                                                                {"1 MiB", 1 << 20},
                                                                {"16 MiB", 16 << 20},
                                                                {"above", std::numeric_limits<std::int64_t>::max()}};
  std::vector<Table::Column> columns{{"kernel", Align::left}};
  for (const auto& [name, most] : sizes) columns.push_back({name, Align::right, "GB/s, up to"});
  Table table(columns);
  for (const auto& [kernel, samples] : groups) {
    if (is_gemm(kernel)) continue;
    std::vector<std::vector<double>> found(sizes.size());
    for (const Sample& sample : samples) {
      const auto bytes = sample.call.m * std::int64_t{sizeof(float)};
      const CallFloats floats = floats_of(sample.call);
      const auto size = std::find_if(sizes.begin(), sizes.end(), [&](const auto& one) { return bytes <= one.second; }) -
                        sizes.begin();
      found[static_cast<std::size_t>(size)].push_back(sizeof(float) * static_cast<double>(floats.in + floats.out) /
                                                      median(sample.seconds));
    }
    std::vector<std::string> row{std::string(name_of(kernel))};
    for (const std::vector<double>& values : found) {
      char text[32] = "-";
      if (!values.empty()) std::snprintf(text, sizeof text, "%.1f", 1e-9 * median(values));
      row.emplace_back(text);
    }
    table.row(row);
  }
  return table.text();
}

std::string describe(const KernelTimes& times) {
  using Align = Table::Align;
  Table table({{"kernel", Align::left},
               {"shapes", Align::right},
               {"noise, 90 %", Align::right},
               {"fit", Align::left},
               {"kept aside", Align::right, "error on samples kept aside"},
               {"median", Align::right, "error on samples kept aside"},
               {"95th percentile", Align::right, "error on samples kept aside"},
               {"worst", Align::right, "error on samples kept aside"}});
  const auto percent = [](const FitError& error, double value) {
    return error.samples == 0 ? "-" : format_percent(value);
  };
  const auto groups = by_kernel(times.samples());
  for (const Kernel kernel : times.kernels()) {
    const KernelFit& fit = *times.fit(kernel);
    const auto row = [&](const std::string& name, const std::string& shapes, const std::string& noise,
                         const std::string& method, const FitError& error) {
      table.row({name, shapes, noise, method, std::to_string(error.samples), percent(error, error.median),
                 percent(error, error.percentile95), percent(error, error.worst)});
    };
    const std::vector<Sample>& samples = groups.at(kernel);
    row(std::string(name_of(kernel)), std::to_string(samples.size()), noise_of(samples),
        std::string(name_of(fit.method())), fit.error());
    if (is_gemm(kernel))
      for (const KernelFit::Region& region : fit.regions()) row("  " + region.name, "", "", "", region.error);
  }
  return table.text(120) + "\n" + bandwidths(groups);
}

}  // namespace

std::string to_text(const Profile& profile) {
  std::string text = describe(profile.certificate());
  for (const auto& [load, times] : profile.loads()) {
    if (times.kernels().empty()) {
      text += "\nno kernels were measured\n";
      continue;
    }
    text += "\n" + std::to_string(load.processes) + (load.processes == 1 ? " process" : " processes at once") + " on " +
            std::to_string(load.threads) + (load.threads == 1 ? " thread" : " threads each") + "\n" + describe(times);
  }
  if (const std::string network = to_text(profile.network()); !network.empty()) text += "\n" + network;
  return text;
}

namespace {

struct Picture {
  std::string path, format;  // no path: none; "-": standard output
};

Picture picture_option(const po::variables_map& values, const std::string& option) {
  if (!given(values, option)) return {};
  const std::string path = text_of(values, option);
  if (path == "-") return {path, "text"};
  const std::string format = path.substr(path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1);
  if (format != "svg" && format != "png")
    throw InputError("--" + option + ": '" + path +
                     "' is not valid; expected a name ending in .svg or .png, or - for text");
  check_writable("--" + option, path);
  return {path, format};
}

void draw(const Picture& picture, const Profile& profile,
          std::string (*plot)(const Profile& profile, const std::string& format)) {
  if (picture.path.empty()) return;
  const std::string drawn = plot(profile, picture.format);
  if (picture.path == "-")
    std::cout << "\n" << drawn;
  else
    write_file(picture.path, drawn);
}

}  // namespace

int show_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = arguments;
  const std::string name = take_first(rest);
  const po::variables_map values = parse_options(rest, options());
  if (given(values, "help")) {
    std::cout << kUsage << options();
    return 0;
  }
  if (name.empty()) throw InputError("show: no profile; expected its name first (--help tells more)");
  const Picture products = picture_option(values, "plot"), messages = picture_option(values, "plot-messages");
  const Profile profile = Profile::read(find_data_file("profile", "profiles", name, ".json").string());
  std::cout << to_text(profile);
  draw(products, profile, plot_products);
  draw(messages, profile, plot_messages);
  return 0;
}

}  // namespace simtrain
