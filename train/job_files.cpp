#include "train/job_files.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/options.hpp"

namespace simtrain {

namespace {

namespace fs = std::filesystem;

std::vector<InputFile> data_files(const std::string& folder) {
  std::vector<InputFile> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename().string().find("-idx") != std::string::npos)
      files.push_back({"data", entry.path().filename().string(), entry.path()});
  std::sort(files.begin(), files.end(), [](const InputFile& a, const InputFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace

std::vector<InputFile> job_files(const boost::program_options::variables_map& values) {
  std::vector<InputFile> files;
  if (given(values, "scenario")) {
    const std::string name = text_of(values, "scenario");
    files.push_back({"scenario", name, find_data_file("scenario", "scenarios", name, ".ini")});
  }
  const std::string network = text_of(values, "network");
  files.push_back({"network", network, find_data_file("network", "scenarios/networks", network, ".json")});
  if (const std::string data = text_of(values, "data"); data != "synthetic")
    for (InputFile& file : data_files(data)) files.push_back(std::move(file));
  return files;
}

}  // namespace simtrain
