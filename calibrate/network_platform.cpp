#include <cstdio>

#include "base/error.hpp"
#include "base/units.hpp"
#include "calibrate/network_text.hpp"

namespace simtrain {
namespace {

std::string digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}
std::string rate(double bandwidth_Bps) { return digits(bandwidth_Bps / 1e9) + "GBps"; }
std::string duration(double latency_s) { return digits(latency_s * 1e9) + "ns"; }

// In an attribute.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  return result;
}

std::string provenance(const char* name, const std::optional<NetworkPlace>& place) {
  if (!place) return {};
  const PlaceCertificate& certificate = place->certificate;
  return "    <prop id=\"measured-" + std::string(name) + "\" value=\"" +
         escaped(certificate.machine + ", " + certificate.mpi + ", " + certificate.date + ": " + certificate.command) +
         "\"/>\n";
}

}  // namespace

std::string one_word_platform(const NetworkSection& section, int hosts) {
  SIMTRAIN_INVARIANT(!section.empty(), "no place");
  const NetworkPlace& place = section.remote ? *section.remote : *section.local;
  return (section.remote ? "crossbar:" : "node:") + std::to_string(hosts) + ",bandwidth=" + rate(place.bandwidth_Bps) +
         ",latency=" + duration(place.latency_s);
}

std::string xml_platform(const NetworkSection& section, int hosts) {
  SIMTRAIN_INVARIANT(!section.empty(), "no place");
  const NetworkPlace& place = section.remote ? *section.remote : *section.local;
  const std::string number = std::to_string(hosts);
  const std::string loopback = section.remote && section.local
                                   ? "\n             loopback_bw=\"" + rate(section.local->bandwidth_Bps) +
                                         "\" loopback_lat=\"" + duration(section.local->latency_s) + "\""
                                   : "";
  // A route crosses two links. Hosts with the property "node" in common are cores of one node.
  const std::string description = section.remote ? "cluster of " + number + " nodes" : "node with " + number + " cores";
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<!--\n  A " +
         description +
         ", measured by calibrate network. bandwidth and latency are the reference of the\n"
         "  profile's network section: simtrain with the network model linear takes them as they are; with calibrated, "
         "it\n"
         "  multiplies them by factors for the size of each message.\n"
         "-->\n<platform version=\"4.1\">\n  <zone id=\"machine\" routing=\"Full\">\n"
         "    <prop id=\"description\" value=\"" +
         description + ", " + format_bandwidth(place.bandwidth_Bps) + " and " + format_seconds(place.latency_s) +
         " between two\"/>\n" + provenance("remote", section.remote) + provenance("local", section.local) +
         "    <cluster id=\"nodes\" prefix=\"" + (section.remote ? "node-" : "core-") + "\" suffix=\"\" radical=\"0-" +
         std::to_string(hosts - 1) + "\" speed=\"1Gf\" core=\"1024\" sharing_policy=\"SPLITDUPLEX\"\n" +
         "             bw=\"" + rate(place.bandwidth_Bps) + "\" lat=\"" + duration(place.latency_s / 2) + "\"" +
         loopback + (section.remote ? "/>\n" : ">\n      <prop id=\"node\" value=\"node-0\"/>\n    </cluster>\n") +
         "  </zone>\n</platform>\n";
}

}  // namespace simtrain
