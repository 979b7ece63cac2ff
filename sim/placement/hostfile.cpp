#include "sim/placement/hostfile.hpp"

#include <filesystem>
#include <map>
#include <sstream>
#include <unordered_map>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/units.hpp"

namespace simtrain {

namespace {

constexpr int kMostSlots = 1 << 20;

std::string place_of(const std::string& path, int line) {
  return "hostfile '" + path + "', line " + std::to_string(line);
}

int parse_slots(const std::string& where, const std::string& text) {
  return static_cast<int>(parse_integer(where + ", slots", text, 1, kMostSlots));
}

HostfileLine parse_line(const std::string& where, int number, std::istringstream& words) {
  HostfileLine line{number, {}, std::nullopt};
  words >> line.host;
  if (const std::size_t colon = line.host.rfind(':'); colon != std::string::npos) {
    line.slots = parse_slots(where, line.host.substr(colon + 1));
    line.host.resize(colon);
  }
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || word.substr(0, equals) != "slots")
      throw InputError(where + ": '" + word + "' is not known; expected HOST, HOST slots=N or HOST:N");
    if (line.slots) throw InputError(where + ": slots of host '" + line.host + "' are given twice");
    line.slots = parse_slots(where, word.substr(equals + 1));
  }
  if (line.host.empty() || line.host.find('=') != std::string::npos)
    throw InputError(where + ": '" + line.host + "' is no host; expected HOST, HOST slots=N or HOST:N");
  return line;
}

}  // namespace

Hostfile parse_hostfile(const std::string& path, std::string_view text) {
  Hostfile file{path, {}};
  std::map<std::string, int> seen;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.size(), line.find('#')));
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream words(line);
    const std::string where = place_of(path, number);
    file.lines.push_back(parse_line(where, number, words));
    const auto [earlier, first] = seen.emplace(file.lines.back().host, number);
    if (!first)
      throw InputError(where + ": host '" + earlier->first + "' stands on line " + std::to_string(earlier->second) +
                       " already; expected each host once, with its slots");
  }
  if (file.lines.empty()) throw InputError("hostfile '" + path + "': names no host; expected a host a line");
  return file;
}

Hostfile read_hostfile(const std::string& path) {
  std::error_code ignored;
  // Its hash is taken by another reading, before which a pipe would be empty.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored) &&
      !std::filesystem::is_directory(path, ignored))
    throw InputError("hostfile '" + path + "': is no regular file; expected one");
  return parse_hostfile(path, read_file("hostfile", path));
}

std::vector<int> slots_of(const Hostfile& file, const std::string& platform, const std::vector<std::string>& names,
                          int slots_of_others) {
  std::unordered_map<std::string, int> number_of;
  for (std::size_t host = 0; host < names.size(); ++host) number_of.emplace(names[host], static_cast<int>(host));
  std::vector<int> slots;
  for (const HostfileLine& line : file.lines) {
    const auto found = number_of.find(line.host);
    if (found == number_of.end())
      throw InputError(place_of(file.path, line.number) + ": host '" + line.host + "' is not on platform '" + platform +
                       "'" + did_you_mean(line.host, names));
    slots.insert(slots.end(), static_cast<std::size_t>(line.slots.value_or(slots_of_others)), found->second);
  }
  return slots;
}

}  // namespace simtrain
