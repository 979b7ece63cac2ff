// JSON of a passport. Reading is strict, as in report/json.hpp.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "base/json.hpp"
#include "report/passport.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const Passport& passport);
// As key "passport", the last one; nothing where there is none.
void add_passport(const std::optional<Passport>& passport, nlohmann::ordered_json& document);
Passport read_passport(JsonObject from);

}  // namespace simtrain
