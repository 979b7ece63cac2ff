// JSON of a passport. Reading is strict, as in report/json.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/passport.hpp"

namespace simtrain {

nlohmann::ordered_json to_json_value(const Passport& passport);
Passport read_passport(JsonObject from);

}  // namespace simtrain
