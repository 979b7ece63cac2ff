// Result <-> JSON. Schema: docs/result.schema.json, version kResultSchemaVersion. The text depends on the result alone
// (no date, no wall time), so that equal runs give equal bytes.
#pragma once

#include <string>

#include "report/result.hpp"

namespace simtrain {

// A timeline goes along where a simulation tells its result to the process that asked for it; a program that writes a
// file takes it out before.
std::string to_json(const Result& result);
// Strict: InputError naming `path`, key and what was expected.
Result result_from_json(const std::string& path, const std::string& text);

}  // namespace simtrain
