// A fast reader of the JSON that programs write: what a profile of a megabyte is read with at every start.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace simtrain {

// Asked for each key of an object whether its value is to be left as a text: a string that holds the JSON that stands
// there, which is looked at only to see that it is well-formed. `parent`: the key that has the object, or the list
// that it is in; empty for the outermost one.
using LeftAsText = bool (*)(std::string_view parent, std::string_view key);

// What nlohmann::json::parse(text) returns, or nothing: for wrong JSON, and for what is right but rare (escapes and
// bytes beyond ASCII in texts, whole numbers of more than 64 bits, equal keys in an object, hundreds of nested lists),
// which are left to a slower reader. Equal keys within what is left as a text are not found.
std::optional<nlohmann::json> parse_plain_json(std::string_view text, LeftAsText left = nullptr);

}  // namespace simtrain
