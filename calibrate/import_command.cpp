#include "calibrate/import_command.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string_view>
#include <tuple>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"
#include "base/units.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/kernels_command.hpp"
#include "calibrate/workbench.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

constexpr const char* kUsage =
    "calibrate import makes a profile from matrix products that were measured elsewhere, with the library of an\n"
    "accelerator, say: a table with the header m,n,k,transa,transb,seconds, row-major C (m x n) = op(A) op(B).\n"
    "All other kernels are taken to move their bytes at the memory's bandwidth.\n\n"
    "  calibrate import gemms.csv --machine 'node of 8 GPUs' --cpu 'GPU, 80 GB' --blas 'vendor BLAS 12.4' \\\n"
    "            --memory-bandwidth 3TBps --launch 5us --output gpu.json\n\n";

po::options_description options() {
  po::options_description options("Options");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("output", word("FILE"), "where the profile goes (default: standard output)")(
      "machine", word("TEXT"), "where the products were measured (required)")(
      "cpu", word("TEXT"), "the processor or accelerator (required)")("blas", word("TEXT"),
                                                                      "the library and its version (required)")(
      "memory-bandwidth", word("RATE"), "of the device's memory, such as 3TBps (required)")(
      "launch", word("TIME")->default_value("0s"), "what starting a kernel takes, such as 5us")(
      "measured-on", word("DATE"), "when it was measured, such as 2026-11-30 (required)")(
      "alike", "the table has products without transposition only: take them for the transposed ones as well")(
      "seed", word("N")->default_value("1"), "chooses the samples that are kept aside to judge the fit")("help",
                                                                                                         "this text");
  return options;
}

constexpr std::array<const char*, 6> kColumns{"m", "n", "k", "transa", "transb", "seconds"};

std::string trimmed(std::string text) {
  const auto first = text.find_first_not_of(" \t\r\"");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\"") - first + 1);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(trimmed(field));
  return fields;
}

class TableReader {
 public:
  TableReader(const std::string& path, const std::string& text) : path_(path), in_(text) {}

  std::vector<Sample> read() {
    std::string line;
    if (!next(line)) line = "";
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // that spreadsheets begin a file with
    read_header(line.starts_with(kByteOrderMark) ? trimmed(line.substr(kByteOrderMark.size())) : line);
    while (next(line))
      if (!line.empty()) read_row(line);
    if (shapes_.empty()) throw InputError(what() + ": no products; expected rows of m,n,k,transa,transb,seconds");
    std::vector<Sample> samples;
    for (auto& [key, sample] : shapes_) samples.push_back(std::move(sample));
    return samples;
  }

 private:
  [[nodiscard]] std::string what() const { return "table '" + path_ + "', line " + std::to_string(line_); }

  bool next(std::string& line) {
    if (!std::getline(in_, line)) return false;
    ++line_;
    line = trimmed(line);
    return true;
  }

  void read_header(const std::string& line) {
    const std::vector<std::string> names = fields_of(line);
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto at = std::find(names.begin(), names.end(), kColumns[i]);
      if (at == names.end())
        throw InputError(what() + ": '" + line + "' has no column '" + kColumns[i] +
                         "'; expected the header m,n,k,transa,transb,seconds");
      columns_[i] = static_cast<std::size_t>(at - names.begin());
    }
    width_ = names.size();
  }

  void read_row(const std::string& line) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != width_)
      throw InputError(what() + ": " + std::to_string(fields.size()) + " fields; expected " + std::to_string(width_));
    const auto field = [&](std::size_t column) { return fields[columns_[column]]; };
    const auto size = [&](std::size_t column) {
      return parse_integer(what() + ": " + kColumns[column], field(column), 1, std::int64_t{1} << 31);
    };
    const bool a = transposed(3, field(3)), b = transposed(4, field(4));
    const double seconds = parse_positive(what() + ": seconds", field(5));
    const Kernel kernel = a ? Kernel::gemm_tn : b ? Kernel::gemm_nt : Kernel::gemm_nn;
    const Call call{kernel, size(0), size(1), size(2)};
    if (a && b) return;
    Sample& sample = shapes_[{kernel, call.m, call.n, call.k}];
    sample.call = call;
    sample.seconds.push_back(seconds);
  }

  [[nodiscard]] bool transposed(std::size_t column, const std::string& text) const {
    for (const char* no : {"N", "n", "0"})
      if (text == no) return false;
    for (const char* yes : {"T", "t", "1"})
      if (text == yes) return true;
    throw InputError(what() + ": " + kColumns[column] + ": '" + text + "' is not valid; expected N or T");
  }

  std::string path_;
  std::istringstream in_;
  int line_ = 0;
  std::array<std::size_t, 6> columns_{};
  std::size_t width_ = 0;
  std::map<std::tuple<Kernel, std::int64_t, std::int64_t, std::int64_t>, Sample> shapes_;
};

// Every kind of product that training makes, or an error.
void complete_products(std::vector<Sample>& samples, bool alike, const std::string& path) {
  const std::vector<Sample> given = samples;
  for (const Kernel kernel : {Kernel::gemm_nn, Kernel::gemm_nt, Kernel::gemm_tn}) {
    const auto has = [&](Kernel wanted) {
      return std::any_of(given.begin(), given.end(), [&](const Sample& s) { return s.call.kernel == wanted; });
    };
    if (has(kernel)) continue;
    if (!alike || !has(Kernel::gemm_nn))
      throw InputError("table '" + path + "': no rows of " + std::string(name_of(kernel)) +
                       "; expected products without transposition (N,N), with B (N,T) and with A transposed (T,N); "
                       "--alike takes N,N for all three");
    for (Sample sample : given)
      if (sample.call.kernel == Kernel::gemm_nn) {
        sample.call.kernel = kernel;
        samples.push_back(std::move(sample));
      }
  }
}

std::string required(const po::variables_map& values, const std::string& option) {
  if (!given(values, option))
    throw InputError("--" + option + ": is missing; a profile says where its numbers come from (--help tells more)");
  return text_of(values, option);
}

// As certificates have it: the day, perhaps with the time after it.
std::string date(const std::string& text) {
  std::tm day{};
  std::istringstream in(text);
  in >> std::get_time(&day, "%Y-%m-%d");
  constexpr std::size_t kDay = 10;  // 2026-11-30
  if (in.fail() || text.size() < kDay || (text.size() > kDay && text[kDay] != 'T' && text[kDay] != ' '))
    throw InputError("--measured-on: '" + text + "' is not valid; expected a date such as 2026-11-30");
  const std::chrono::year_month_day valid{std::chrono::year(1900 + day.tm_year),
                                          std::chrono::month(static_cast<unsigned>(day.tm_mon + 1)),
                                          std::chrono::day(static_cast<unsigned>(day.tm_mday))};
  if (!valid.ok()) throw InputError("--measured-on: '" + text + "' is no day of the calendar");
  return text;
}

}  // namespace

std::vector<Sample> read_products(const std::string& path, const std::string& text) {
  return TableReader(path, text).read();
}

std::vector<Sample> streaming_samples(double launch_s, double bandwidth_Bps, std::int64_t largest) {
  std::vector<Sample> samples;
  const auto add = [&](const Call& wanted) {
    const Call call = executable(wanted);
    if (std::any_of(samples.begin(), samples.end(), [&](const Sample& sample) { return sample.call == call; })) return;
    const CallFloats floats = floats_of(call);
    samples.push_back(
        {call, {launch_s + sizeof(float) * static_cast<double>(floats.in + floats.out) / bandwidth_Bps}, false});
  };
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    const auto kernel = static_cast<Kernel>(i);
    if (is_gemm(kernel)) continue;
    for (std::int64_t m = 64; m <= largest; m *= 4) {
      if (!has_three_sizes(kernel)) {
        add({kernel, m});
        continue;
      }
      for (const std::int64_t width : {1, 4, 16, 64, 224})
        if (is_pooling(kernel))
          for (const std::int64_t looks : {4, 9, 36}) add({kernel, m, width, looks});
        else
          for (const std::int64_t stride : {1, 2, 4})
            for (const std::int64_t window : {1, 3, 11}) add({kernel, m, width, stride, window});
    }
  }
  return samples;
}

int import_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> rest = arguments;
  const std::string path = take_first(rest);
  const po::variables_map values = parse_options(rest, options());
  if (given(values, "help")) {
    std::cout << kUsage << options();
    return 0;
  }
  if (path.empty()) throw InputError("import: no table; expected a CSV file first (--help tells more)");
  Certificate certificate;
  certificate.machine = required(values, "machine");
  certificate.cpu = required(values, "cpu");
  certificate.blas = required(values, "blas");
  certificate.date = date(required(values, "measured-on"));
  const double bandwidth = parse_bandwidth_Bps("--memory-bandwidth", required(values, "memory-bandwidth"));
  const double launch_s = parse_seconds("--launch", text_of(values, "launch"));
  certificate.seed = static_cast<std::uint64_t>(parse_integer("--seed", text_of(values, "seed"), 0, INT64_MAX));
  certificate.command = shell_command("calibrate import", arguments);
  certificate.blas_core_type = kImported;
  certificate.compiler = "none";
  certificate.operands = "products: imported; all other kernels: not measured, " + format_seconds(launch_s) +
                         " + bytes / " + format_bandwidth(bandwidth);
  const std::string output = given(values, "output") ? text_of(values, "output") : "";
  if (!output.empty()) check_writable("--output", output);

  std::vector<Sample> samples = read_products(path, read_file("table", path));
  complete_products(samples, given(values, "alike"), path);
  keep_aside(samples, certificate.seed);
  constexpr std::int64_t kLargest = std::int64_t{1} << 30;
  for (Sample& sample : streaming_samples(std::max(launch_s, 1e-9), bandwidth, kLargest))
    samples.push_back(std::move(sample));
  const Profile profile = Profile::fit(certificate, std::move(samples));
  if (output.empty())
    std::cout << profile.to_json();
  else
    write_file(output, profile.to_json());
  std::cerr << to_text(profile);
  return 0;
}

}  // namespace simtrain
