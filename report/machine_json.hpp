// JSON of what a result says of its machine: links, placements that were tried, slow parts, bounds. Reading is strict,
// as in report/json.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.hpp"
#include "report/result.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const LinksResult& links);
nlohmann::ordered_json to_json_value(const std::vector<PlacementTrial>& trials);
nlohmann::ordered_json to_json_value(const SlowPartsResult& parts);
nlohmann::ordered_json to_json_value(const BoundsResult& bounds);

// Seconds, or why there are none: the keys "iteration_s" and "error".
void write_outcome(nlohmann::ordered_json& value, const std::optional<double>& seconds, const std::string& error);
void read_outcome(JsonObject& from, std::optional<double>& seconds, std::string& error);

LinksResult read_links(JsonObject from);
std::vector<PlacementTrial> read_placement_trials(JsonObject& root);  // the key "placement_trials"
SlowPartsResult read_slow_parts(JsonObject from);
BoundsResult read_bounds(JsonObject from);

}  // namespace simtrain
