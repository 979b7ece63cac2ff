#include "sim/prediction/prediction_files.hpp"

#include "base/files.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/platform/spec.hpp"

namespace simtrain {

std::vector<InputFile> prediction_files(const PredictionOptions& options) {
  std::vector<InputFile> files;
  std::error_code none;
  if (!is_platform_spec(options.platform) || std::filesystem::exists(options.platform, none))
    files.push_back({"platform", options.platform,
                     find_data_file("platform", "platforms", options.platform, {".xml", kPlatformFileExtension})});
  files.push_back({"profile", options.profile, find_data_file("profile", "profiles", options.profile, ".json")});
  if (options.placement.kind == Placement::Kind::file)
    files.push_back({"placement", options.placement.file, options.placement.file});
  return files;
}

}  // namespace simtrain
