// What the samples and fits of kernels and of messages have in common in a profile's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "base/json.hpp"
#include "calibrate/profile_types.hpp"

namespace simtrain {

inline constexpr double kLongest_s = 1e6;  // of anything in a profile

// The key "seconds": at least one time, each above 0 s and at most kLongest_s; InputError else.
std::vector<double> read_seconds(JsonObject& object);

// The keys samples, median_error, percentile95_error and worst_error of an object that may hold others.
FitError read_error(JsonObject& object);
void write_error(nlohmann::ordered_json& object, const FitError& error);

}  // namespace simtrain
