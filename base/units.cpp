#include "base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/error.hpp"

namespace simtrain {

namespace {

struct Unit {
  std::string_view spelling;
  double factor;
};

constexpr double kKi = 1024.0;
constexpr std::array<Unit, 6> kTimeUnits{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"μs", 1e-6}, {"ns", 1e-9}}};
constexpr std::array<Unit, 9> kByteUnits{{{"B", 1},
                                          {"kB", 1e3},
                                          {"KiB", kKi},
                                          {"MB", 1e6},
                                          {"MiB", kKi* kKi},
                                          {"GB", 1e9},
                                          {"GiB", kKi* kKi* kKi},
                                          {"TB", 1e12},
                                          {"TiB", kKi* kKi* kKi* kKi}}};
constexpr std::array<Unit, 22> kBandwidthUnits{{{"Bps", 1},
                                                {"kBps", 1e3},
                                                {"MBps", 1e6},
                                                {"GBps", 1e9},
                                                {"TBps", 1e12},
                                                {"B/s", 1},
                                                {"kB/s", 1e3},
                                                {"MB/s", 1e6},
                                                {"GB/s", 1e9},
                                                {"TB/s", 1e12},
                                                {"KiBps", kKi},
                                                {"MiBps", kKi* kKi},
                                                {"GiBps", kKi* kKi* kKi},
                                                {"bps", 1.0 / 8},
                                                {"kbps", 1e3 / 8},
                                                {"Mbps", 1e6 / 8},
                                                {"Gbps", 1e9 / 8},
                                                {"Tbps", 1e12 / 8},
                                                {"bit/s", 1.0 / 8},
                                                {"kbit/s", 1e3 / 8},
                                                {"Mbit/s", 1e6 / 8},
                                                {"Gbit/s", 1e9 / 8}}};

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view expected) {
  throw InputError(std::string(what) + ": '" + std::string(text) + "' is not valid; expected " + std::string(expected));
}

// Splits "6.5GBps" into its number and the rest; one blank between them is allowed.
std::pair<double, std::string_view> split_number(std::string_view what, std::string_view text,
                                                 std::string_view expected) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) refuse(what, text, expected);
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  return {value, rest};
}

template <std::size_t N>
double parse_with(const std::array<Unit, N>& units, std::string_view what, std::string_view text,
                  std::string_view expected) {
  const auto [value, spelling] = split_number(what, text, expected);
  for (const Unit& unit : units)
    if (unit.spelling == spelling) return value * unit.factor;
  refuse(what, text, expected);
}

std::string print(const char* format, double value, const char* unit) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, format, value);
  return std::string(buffer) + unit;
}

// Three significant digits without an exponent, for values below 1000.
const char* digits_for(double value) { return value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f"; }

}  // namespace

double parse_seconds(std::string_view what, std::string_view text) {
  constexpr auto expected = "a time with its unit, such as 2us (units: s, ms, us, ns)";
  const double value = parse_with(kTimeUnits, what, text, expected);
  if (value < 0 || value > 1e9) refuse(what, text, "a time from 0 s to 1e9 s");
  return value;
}

double parse_bandwidth_Bps(std::string_view what, std::string_view text) {
  constexpr auto expected =
      "a bandwidth with its unit, such as 6GBps or 25Gbps (B for bytes, b for bits; per second is part of the unit)";
  const double value = parse_with(kBandwidthUnits, what, text, expected);
  if (value <= 0 || value > 1e18) refuse(what, text, "a bandwidth above 0 B/s and at most 1000000 TBps");
  return value;
}

std::int64_t parse_bytes(std::string_view what, std::string_view text) {
  constexpr auto expected = "a size with its unit, such as 64MiB (units: B, kB, KiB, MB, MiB, GB, GiB, TB, TiB)";
  const double value = parse_with(kByteUnits, what, text, expected);
  if (value <= 0 || value > 9e18) refuse(what, text, "a size above 0 B and at most 8000000 TiB");
  return static_cast<std::int64_t>(std::llround(value));
}

std::int64_t parse_integer(std::string_view what, std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    const bool open = most == std::numeric_limits<std::int64_t>::max();
    refuse(what, text,
           "a whole number " + (open ? "of at least " + std::to_string(least)
                                     : "from " + std::to_string(least) + " to " + std::to_string(most)));
  }
  return value;
}

double parse_positive(std::string_view what, std::string_view text) {
  constexpr auto expected = "a number above 0";
  const auto [value, rest] = split_number(what, text, expected);
  if (!rest.empty() || value <= 0) refuse(what, text, expected);
  return value;
}

std::string format_seconds(double seconds) {
  const double magnitude = std::fabs(seconds);
  if (magnitude == 0) return "0 s";
  if (magnitude < 1e-6) return print(digits_for(magnitude * 1e9), seconds * 1e9, " ns");
  if (magnitude < 1e-3) return print(digits_for(magnitude * 1e6), seconds * 1e6, " µs");
  if (magnitude < 1) return print(digits_for(magnitude * 1e3), seconds * 1e3, " ms");
  return print(magnitude < 1000 ? digits_for(magnitude) : "%.0f", seconds, " s");
}

std::string format_bytes(double bytes) {
  constexpr std::array<const char*, 6> names{" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t step = 0;
  while (step + 1 < names.size() && std::fabs(bytes) >= 1024) {
    bytes /= 1024;
    ++step;
  }
  return print(step == 0 ? "%.0f" : digits_for(std::fabs(bytes)), bytes, names[step]);
}

std::string format_bandwidth(double bytes_per_s) {
  constexpr std::array<const char*, 5> names{" B/s", " kB/s", " MB/s", " GB/s", " TB/s"};
  std::size_t step = 0;
  while (step + 1 < names.size() && bytes_per_s >= 999.5) {
    bytes_per_s /= 1000;
    ++step;
  }
  return print(digits_for(bytes_per_s), bytes_per_s, names[step]);
}

std::string format_count(double count) {
  std::string digits = print("%.0f", count, "");
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), " ");
  return digits;
}

std::string format_percent(double fraction) {
  const double percent = fraction * 100;
  return print(std::fabs(percent) < 10 ? "%.2f" : "%.1f", percent, " %");
}

}  // namespace simtrain
