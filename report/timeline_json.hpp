// A timeline as JSON, between the processes of one prediction: lists of numbers, in the order of its members.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/timeline.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const Timeline& timeline);
Timeline read_timeline(JsonObject from);

}  // namespace simtrain
