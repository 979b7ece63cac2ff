// Quantities as text, in one place. Everywhere else a quantity is a double or an integer whose name carries its unit:
// latency_s, bandwidth_Bps, bytes.
//
// Spellings accepted (case matters where it changes the meaning):
//   time       s ms us µs ns                                   "2us"
//   bytes      B kB KiB MB MiB GB GiB TB TiB                   "64MiB"   (k, M, G, T: powers of 1000)
//   bandwidth  bytes: Bps kBps MBps GBps, B/s kB/s MB/s GB/s and KiBps … GiBps;
//              bits:  bps kbps Mbps Gbps, bit/s … Gbit/s       "25Gbps" = 3.125e9 B/s
// A unit is always required. All parsers throw InputError naming `what`, the text, and what was expected; negative,
// zero (except time) and non-finite values are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simtrain {

double parse_seconds(std::string_view what, std::string_view text);
double parse_bandwidth_Bps(std::string_view what, std::string_view text);
std::int64_t parse_bytes(std::string_view what, std::string_view text);

// A whole number in [least, most]; nothing may follow it.
std::int64_t parse_integer(std::string_view what, std::string_view text, std::int64_t least, std::int64_t most);
// A finite number > 0; nothing may follow it.
double parse_positive(std::string_view what, std::string_view text);

std::string format_seconds(double seconds);        // "12.3 ms"; three to four significant digits
std::string format_bytes(double bytes);            // "64.0 MiB" (powers of 1024)
std::string format_bandwidth(double bytes_per_s);  // "6.00 GB/s" (powers of 1000)
std::string format_count(double count);            // "203 thousand" style grouping: "203 040"
std::string format_percent(double fraction);       // 0.123 -> "12.3 %"

}  // namespace simtrain
