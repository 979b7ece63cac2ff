// A fast reader of the JSON that programs write: what a profile of a megabyte is read with at every start.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace simtrain {

// What nlohmann::json::parse(text) returns, or nothing: for wrong JSON, and for what is right but rare (escapes and
// bytes beyond ASCII in texts, whole numbers of more than 64 bits, equal keys in an object, hundreds of nested lists),
// which are left to a slower reader.
std::optional<nlohmann::json> parse_plain_json(std::string_view text);

}  // namespace simtrain
