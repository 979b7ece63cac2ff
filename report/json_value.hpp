// The JSON document of a result, before it becomes text: sweeps hold many of them.
#pragma once

#include <nlohmann/json.hpp>

#include "report/result.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const Result& result);

// A number that is finite: anything else is a bug of ours (SIMTRAIN_INVARIANT naming `key`), not a value to report.
nlohmann::ordered_json finite(const char* key, double value);

// Indented text, ending in a line break. Bytes that are not UTF-8 (of a file's name) become U+FFFD.
std::string json_text(const nlohmann::ordered_json& document);

}  // namespace simtrain
