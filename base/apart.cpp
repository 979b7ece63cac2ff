#include "base/apart.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"

namespace simtrain {

namespace {

namespace fs = std::filesystem;

bool same_file(const fs::path& a, const fs::path& b) {
  if (is_standard_output(a) && is_standard_output(b)) return true;
  std::error_code ignored;
  for (const fs::path* one : {&a, &b})
    if (fs::exists(*one, ignored) && !fs::is_regular_file(*one, ignored)) return false;
  return fs::weakly_canonical(fs::absolute(a), ignored) == fs::weakly_canonical(fs::absolute(b), ignored) ||
         fs::equivalent(a, b, ignored);
}

}  // namespace

std::vector<NamedFile> outputs_of(const boost::program_options::variables_map& values) {
  std::vector<NamedFile> files;
  for (const char* option : kOutputOptions)
    if (values.count(option) > 0 && given(values, option))
      files.push_back({"--" + std::string(option), text_of(values, option)});
  return files;
}

bool takes_standard_output(const boost::program_options::variables_map& values) {
  const std::vector<NamedFile> files = outputs_of(values);
  return std::any_of(files.begin(), files.end(), [](const NamedFile& one) { return is_standard_output(one.path); });
}

std::vector<std::string> without_outputs(const std::vector<std::string>& arguments) {
  std::vector<std::string> options;
  for (const char* name : kOutputOptions) options.push_back("--" + std::string(name));
  for (const char* name : kShowingOptions) options.push_back("--" + std::string(name));
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& one = arguments[i];
    if (std::find(options.begin(), options.end(), one) != options.end())
      ++i;
    else if (std::find(options.begin(), options.end(), one.substr(0, one.find('='))) == options.end())
      kept.push_back(one);
  }
  return kept;
}

void check_apart(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs) {
  for (const NamedFile& output : outputs)
    if (output.path.empty()) throw InputError(output.what + " '': is empty; expected the name of a file");
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
