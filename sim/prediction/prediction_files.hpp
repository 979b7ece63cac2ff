// The files that a prediction is read from.
#pragma once

#include <vector>

#include "report/make_passport.hpp"
#include "sim/prediction/prediction.hpp"

namespace simtrain {

// Of --platform, unless it is a word, --profile, and a --placement that is a hostfile.
std::vector<InputFile> prediction_files(const PredictionOptions& options);

}  // namespace simtrain
