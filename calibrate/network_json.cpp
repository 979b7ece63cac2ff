#include "calibrate/network_json.hpp"

#include <cmath>

#include "base/error.hpp"
#include "calibrate/samples_json.hpp"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostBandwidth_Bps = 1e18;

Json write(const PlaceCertificate& certificate) {
  return {{"machine", certificate.machine},   {"cpu", certificate.cpu},   {"mpi", certificate.mpi},
          {"settings", certificate.settings}, {"date", certificate.date}, {"command", certificate.command},
          {"seed", certificate.seed}};
}

Json write(const FitError& error) {
  Json object;
  write_error(object, error);
  return object;
}

Json write(const CurveSegment& segment, const NetworkPlace& place) {
  return {{"from", segment.from},
          {"to", segment.to},
          {"latency_s", segment.latency_s},
          {"bandwidth_Bps", segment.bandwidth_Bps},
          {"latency_factor", segment.latency_s / place.latency_s},
          {"bandwidth_factor", segment.bandwidth_Bps / place.bandwidth_Bps}};
}

Json write(const MessageSample& sample) {
  Json row = {{"bytes", sample.bytes}, {"seconds", sample.seconds}};
  if (sample.kept_aside) row["kept_aside"] = true;
  return row;
}

template <typename Rows, typename Write>
std::string lines_of(const Rows& rows, Write one) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ",\n") + one(row).dump();
  return "[\n" + text + "\n]";
}

std::string write(const NetworkPlace& place) {
  std::string text = "{\n\"certificate\": " + write(place.certificate).dump(1) +
                     ",\n\"latency_s\": " + Json(place.latency_s).dump() +
                     ",\n\"bandwidth_Bps\": " + Json(place.bandwidth_Bps).dump() + ",\n\"curves\": {\n";
  bool first = true;
  for (const auto& [timing, curve] : place.curves) {
    text += (first ? "\"" : ",\n\"") + std::string(name_of(timing)) + "\": {\n\"segments\": " +
            lines_of(curve.segments, [&](const CurveSegment& segment) { return write(segment, place); }) +
            ",\n\"error\": " + write(curve.error).dump() +
            ",\n\"samples\": " + lines_of(curve.samples, [](const MessageSample& sample) { return write(sample); }) +
            "\n}";
    first = false;
  }
  return text + "\n}\n}";
}

PlaceCertificate read_certificate(JsonObject object) {
  PlaceCertificate certificate;
  certificate.machine = object.text("machine");
  certificate.cpu = object.text("cpu");
  certificate.mpi = object.text("mpi");
  certificate.settings = object.text("settings");
  certificate.date = object.text("date");
  certificate.command = object.text("command");
  certificate.seed = static_cast<std::uint64_t>(object.integer("seed", 0));
  object.finish();
  return certificate;
}

MessageSample read_sample(JsonObject row, bool loaded) {
  MessageSample sample;
  sample.loaded = loaded;
  sample.bytes = row.integer("bytes", 0);
  sample.seconds = read_seconds(row);
  sample.kept_aside = row.boolean_or("kept_aside", false);
  row.finish();
  return sample;
}

// The factors are for people: they must be those of the place's reference.
void check_factor(const JsonObject& object, const char* key, double found, double expected) {
  if (!(std::abs(found - expected) <= 1e-6 * std::abs(expected) + 1e-12))
    object.refuse(key, "expected the segment's value over the reference, " + Json(expected).dump() + ", found " +
                           Json(found).dump());
}

CurveSegment read_segment(JsonObject object, const NetworkPlace& place) {
  CurveSegment segment;
  segment.from = object.integer("from", 0);
  segment.to = object.integer("to", segment.from);
  segment.latency_s = object.number("latency_s", -kLongest_s, kLongest_s);
  segment.bandwidth_Bps = object.number("bandwidth_Bps", 1e-3, kMostBandwidth_Bps);
  if (!(segment.seconds(segment.from) > 0)) object.refuse("latency_s", "expected more than 0 s in all for every size");
  check_factor(object, "latency_factor", object.number("latency_factor", -1e30, 1e30),
               segment.latency_s / place.latency_s);
  check_factor(object, "bandwidth_factor", object.number("bandwidth_factor", 0, 1e30),
               segment.bandwidth_Bps / place.bandwidth_Bps);
  object.finish();
  return segment;
}

TimingCurve read_curve(JsonObject object, const NetworkPlace& place, MessageTiming timing) {
  TimingCurve curve;
  for (std::size_t i = 0; i < object.array("samples").size(); ++i) {
    curve.samples.push_back(read_sample(object.element("samples", i), is_loaded(timing)));
    if (i > 0 && curve.samples[i].bytes <= curve.samples[i - 1].bytes)
      object.refuse("samples[" + std::to_string(i) + "].bytes", "expected a larger size than before");
  }
  if (curve.samples.empty()) object.refuse("samples", "expected at least one");
  for (std::size_t i = 0; i < object.array("segments").size(); ++i) {
    curve.segments.push_back(read_segment(object.element("segments", i), place));
    if (i > 0 && curve.segments[i].from != curve.segments[i - 1].to + 1)
      object.refuse("segments[" + std::to_string(i) + "].from",
                    "expected " + std::to_string(curve.segments[i - 1].to + 1) + ", one byte after the segment before");
  }
  if (curve.segments.empty()) object.refuse("segments", "expected at least one");
  JsonObject error = object.object("error");
  curve.error = read_error(error);
  error.finish();
  object.finish();
  return curve;
}

NetworkPlace read_place(JsonObject object) {
  NetworkPlace place;
  place.certificate = read_certificate(object.object("certificate"));
  place.latency_s = object.number("latency_s", 1e-12, kLongest_s);
  place.bandwidth_Bps = object.number("bandwidth_Bps", 1e-3, kMostBandwidth_Bps);
  JsonObject curves = object.object("curves");
  for (std::size_t i = 0; i < kMessageTimingNames.size(); ++i) {
    const auto timing = static_cast<MessageTiming>(i);
    if (curves.has(name_of(timing)))
      place.curves.emplace(timing, read_curve(curves.object(name_of(timing)), place, timing));
  }
  for (const MessageTiming needed : {MessageTiming::one_way_idle, MessageTiming::exchange_idle})
    if (!place.curves.contains(needed)) curves.refuse(name_of(needed), "is missing");
  curves.finish();
  object.finish();
  return place;
}

}  // namespace

std::string write_network(const NetworkSection& section) {
  SIMTRAIN_INVARIANT(!section.empty(), "no place");
  std::string text;
  if (section.local) text += "\"local\": " + write(*section.local);
  if (section.remote) text += (text.empty() ? "" : ",\n") + ("\"remote\": " + write(*section.remote));
  return "{\n" + text + "\n}";
}

NetworkSection read_network(JsonObject object) {
  NetworkSection section;
  if (object.has("local")) section.local = read_place(object.object("local"));
  if (object.has("remote")) section.remote = read_place(object.object("remote"));
  if (section.empty()) object.refuse("local", "is missing, and so is remote; expected one of them");
  object.finish();
  return section;
}

}  // namespace simtrain
