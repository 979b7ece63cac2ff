#include "calibrate/samples_json.hpp"

namespace simtrain {

std::vector<double> read_seconds(JsonObject& object) {
  std::vector<double> seconds;
  const nlohmann::json& values = object.array("seconds");
  if (values.empty()) object.refuse("seconds", "expected at least one time");
  for (const nlohmann::json& value : values) {
    const double time_s = value.is_number() ? value.get<double>() : 0.0;
    if (!(time_s > 0 && time_s <= kLongest_s))
      object.refuse("seconds", "expected times above 0 s, found " + value.dump());
    seconds.push_back(time_s);
  }
  return seconds;
}

FitError read_error(JsonObject& object) {
  FitError error;
  error.samples = static_cast<int>(object.integer("samples", 0, 1 << 30));
  error.median = object.number("median_error", 0, 1e30);
  error.percentile95 = object.number("percentile95_error", 0, 1e30);
  error.worst = object.number("worst_error", 0, 1e30);
  return error;
}

void write_error(nlohmann::ordered_json& object, const FitError& error) {
  object["samples"] = error.samples;
  object["median_error"] = error.median;
  object["percentile95_error"] = error.percentile95;
  object["worst_error"] = error.worst;
}

}  // namespace simtrain
