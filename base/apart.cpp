#include "base/apart.hpp"

#include "base/error.hpp"
#include "base/options.hpp"

namespace simtrain {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  for (const fs::path* one : {&a, &b})
    if (fs::exists(*one, ignored) && !fs::is_regular_file(*one, ignored)) return false;
  return fs::weakly_canonical(fs::absolute(a), ignored) == fs::weakly_canonical(fs::absolute(b), ignored) ||
         fs::equivalent(a, b, ignored);
}

}  // namespace

std::vector<NamedFile> outputs_of(const boost::program_options::variables_map& values) {
  std::vector<NamedFile> files;
  for (const char* option : {"json", "csv", "report", "trace", "results"})
    if (values.count(option) > 0 && given(values, option))
      files.push_back({"--" + std::string(option), text_of(values, option)});
  return files;
}

void check_apart(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto refuse_if_same = [&](const NamedFile& other) {
      if (same_file(outputs[i].path, other.path))
        throw InputError(outputs[i].what + ": '" + outputs[i].path.string() + "' is the file of " + other.what +
                         " too; expected one of its own");
    };
    for (std::size_t j = i + 1; j < outputs.size(); ++j) refuse_if_same(outputs[j]);
    for (const NamedFile& input : inputs) refuse_if_same(input);
  }
}

}  // namespace simtrain
