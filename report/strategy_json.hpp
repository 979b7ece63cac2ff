// JSON of what --strategy auto did. Reading is strict, as in report/json.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/result.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const StrategySearchResult& search);
StrategySearchResult read_strategy_search(JsonObject from);

}  // namespace simtrain
