#include "sim/prediction/prediction_files.hpp"

#include "base/files.hpp"
#include "sim/platform/platform.hpp"

namespace simtrain {

std::vector<InputFile> prediction_files(const PredictionOptions& options) {
  std::vector<InputFile> files;
  if (const auto path = platform_file(options.platform)) files.push_back({"platform", options.platform, *path});
  files.push_back({"profile", options.profile, find_data_file("profile", "profiles", options.profile, ".json")});
  if (options.placement.kind == Placement::Kind::file)
    files.push_back({"placement", options.placement.file, options.placement.file});
  return files;
}

}  // namespace simtrain
