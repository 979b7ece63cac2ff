#include "calibrate/network_text.hpp"

#include <cstdio>

#include "base/units.hpp"
#include "calibrate/fit.hpp"
#include "report/table.hpp"

namespace simtrain {
namespace {

std::string factor(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

std::string line(const std::string& name, const std::string& value) {
  return name + std::string(14 - name.size(), ' ') + printable(value) + "\n";
}

// |fit/measured - 1| over all sizes of the segment, kept aside or not.
std::string error_in(const TimingCurve& curve, const CurveSegment& segment) {
  std::vector<double> errors;
  for (const MessageSample& sample : curve.samples)
    if (sample.bytes >= segment.from && sample.bytes <= segment.to)
      errors.push_back(std::abs(segment.seconds(sample.bytes) / sample.measured_s() - 1));
  return errors.empty() ? "-" : format_percent(median(errors));
}

std::string errors_table(const NetworkPlace& place) {
  using Align = Table::Align;
  Table table({{"timing", Align::left},
               {"sizes", Align::right},
               {"kept aside", Align::right},
               {"median", Align::right, "error on sizes kept aside"},
               {"95th percentile", Align::right, "error on sizes kept aside"},
               {"worst", Align::right, "error on sizes kept aside"}});
  for (const auto& [timing, curve] : place.curves) {
    const auto percent = [&](double value) { return curve.error.samples == 0 ? "-" : format_percent(value); };
    table.row({std::string(name_of(timing)), std::to_string(curve.samples.size()), std::to_string(curve.error.samples),
               percent(curve.error.median), percent(curve.error.percentile95), percent(curve.error.worst)});
  }
  return table.text();
}

std::string segments_table(const NetworkPlace& place) {
  using Align = Table::Align;
  Table table({{"timing", Align::left},
               {"from", Align::right},
               {"to", Align::right},
               {"latency", Align::right},
               {"factor", Align::right},
               {"bandwidth", Align::right},
               {"factor", Align::right},
               {"median error", Align::right}});
  for (const auto& [timing, curve] : place.curves)
    for (const CurveSegment& segment : curve.segments)
      table.row({&segment == &curve.segments.front() ? std::string(name_of(timing)) : "",
                 format_bytes(static_cast<double>(segment.from)), format_bytes(static_cast<double>(segment.to)),
                 format_seconds(segment.latency_s), factor(segment.latency_s / place.latency_s),
                 format_bandwidth(segment.bandwidth_Bps), factor(segment.bandwidth_Bps / place.bandwidth_Bps),
                 error_in(curve, segment)});
  return table.text();
}

// "half a round trip is 1.02 times the way by the nodes' clock": the median over sizes measured both ways.
std::string clock_check(const NetworkPlace& place) {
  const auto by_clock = place.curves.find(MessageTiming::one_way_by_clock);
  if (by_clock == place.curves.end()) return {};
  std::vector<double> ratios;
  for (const MessageSample& sample : by_clock->second.samples)
    for (const MessageSample& other : place.curves.at(MessageTiming::one_way_idle).samples)
      if (sample.bytes == other.bytes) ratios.push_back(other.measured_s() / sample.measured_s());
  if (ratios.empty()) return {};
  return line("check", "half a round trip is " + factor(median(ratios)) +
                           " times the way by the node's clock, median over sizes");
}

std::string describe(const char* name, const NetworkPlace& place) {
  const PlaceCertificate& certificate = place.certificate;
  return line("network", name) + line("machine", certificate.machine) + line("cpu", certificate.cpu) +
         line("mpi", certificate.mpi) + line("settings", certificate.settings) + line("date", certificate.date) +
         line("command", certificate.command) + line("seed", std::to_string(certificate.seed)) +
         line("reference", format_seconds(place.latency_s) + " and " + format_bandwidth(place.bandwidth_Bps)) +
         clock_check(place) + "\n" + errors_table(place) + "\n" + segments_table(place);
}

}  // namespace

std::string to_text(const NetworkSection& section) {
  if (section.empty()) return {};
  std::string text;
  if (section.local) text += describe("local: two processes of one node", *section.local) + "\n";
  if (section.remote) text += describe("remote: processes of two nodes", *section.remote) + "\n";
  constexpr int kHosts = 2;
  return text + line("platform", one_word_platform(section, kHosts));
}

}  // namespace simtrain
