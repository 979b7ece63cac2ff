#include "sim/platform/platform_file.hpp"

#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"

namespace simtrain {

namespace {

// Without its comment, and without blanks at either end.
std::string content_of(const std::string& line) {
  constexpr const char* blanks = " \t\r";
  const std::string text = line.substr(0, line.find('#'));
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

PlatformSpec read_platform_file(const std::filesystem::path& path) {
  const std::string who = "platform '" + path.string() + "'";
  const auto at_line = [&](int line) { return who + ", line " + std::to_string(line) + ": "; };
  std::istringstream lines(read_file("platform", path));
  std::string word;
  int number = 0, line_of_word = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string content = content_of(line);
    if (content.empty()) continue;
    if (!word.empty())
      throw InputError(at_line(number) + "'" + content + "' follows the platform of line " +
                       std::to_string(line_of_word) + "; expected one word in all, such as torus:8x8x4");
    word = content;
    line_of_word = number;
  }
  if (word.empty()) throw InputError(who + ": holds no platform; expected a word such as torus:8x8x4");
  try {
    return parse_platform_spec(word);
  } catch (const InputError& error) {
    throw InputError(at_line(line_of_word) + error.what());
  }
}

}  // namespace simtrain
