#include "base/options.hpp"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/option_lists.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

std::vector<std::string> names_of(const po::options_description& known) {
  std::vector<std::string> names;
  for (const auto& option : known.options()) names.push_back(option->long_name());
  return names;
}

std::string without_dashes(std::string name) {
  const auto first = name.find_first_not_of('-');
  return first == std::string::npos ? name : name.substr(first);
}

[[noreturn]] void refuse_unknown(const std::string& name, const po::options_description& known) {
  const std::string word = without_dashes(name), near = word == "h" ? "help" : nearest(word, names_of(known));
  throw InputError("option '" + std::string(word.size() > 1 ? "--" : "-") + word + "' is not known" +
                   (near.empty() ? ";" : "; did you mean '--" + near + "'?") + " --help lists them all");
}

// The library's own texts are about its classes; ours name the option.
template <typename Parse>
auto with_our_errors(const po::options_description& known, const Parse& parse) {
  try {
    return parse();
  } catch (const po::unknown_option& error) {
    refuse_unknown(error.get_option_name(), known);
  } catch (const po::multiple_occurrences& error) {
    throw InputError(error.get_option_name() + ": given more than once");
  } catch (const po::error& error) {
    throw InputError(error.what());
  }
}

// What a scenario says of an option that takes no value on the command line.
bool switched_on(const std::string& key, const std::string& value) {
  std::string word = value;
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char* on : {"", "yes", "true", "on", "1"})
    if (word == on) return true;
  for (const char* off : {"no", "false", "off", "0"})
    if (word == off) return false;
  throw InputError("'" + key + " = " + value + "' is not valid; expected yes or no (true, on, 1; false, off, 0)");
}

// What the library would let pass, or say in its own words.
void check_line(std::string line) {
  line.resize(std::min(line.size(), line.find('#')));
  boost::algorithm::trim(line);
  if (!line.empty() && (line.front() == '[' || line.front() == '=' || line.find('=') == std::string::npos))
    throw InputError("'" + line + "' is not valid; expected key = value");
}

// Line by line, so that an error can say where.
void read_scenario(const std::string& name, const po::options_description& known,
                   const std::vector<std::string>& one_of, po::variables_map& values) {
  const auto in_one_of = [&](const std::string& key) {
    return std::find(one_of.begin(), one_of.end(), key) != one_of.end();
  };
  const bool decided = std::any_of(one_of.begin(), one_of.end(), [&](const auto& key) { return values.contains(key); });
  const std::string path = find_data_file("scenario", "scenarios", name, ".ini").string();
  std::istringstream lines(read_file("scenario", path));
  po::parsed_options all(&known);
  std::set<std::string> seen;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF"; number == 1 && line.starts_with(kByteOrderMark))
      line.erase(0, kByteOrderMark.size());
    std::istringstream one(line + "\n");
    try {
      check_line(line);
      const auto parsed = with_our_errors(known, [&] { return po::parse_config_file(one, known); });
      for (const auto& option : parsed.options) {
        const std::string& key = option.string_key;
        const po::option_description& description = known.find(key, false);
        if (key == "scenario") throw InputError("a scenario cannot name another one");
        if (key == "help" || key == "version")
          throw InputError("'" + key + "' cannot stand in a scenario; expected --" + key + " on the command line");
        if (!seen.insert(key).second && !is_list(description))
          throw InputError("the key '" + key + "' stands there twice");
        if (is_switch(description) && !switched_on(key, option.value.front())) continue;
        if (!decided || !in_one_of(key)) all.options.push_back(option);
      }
    } catch (const InputError& error) {
      throw InputError("scenario '" + path + "', line " + std::to_string(number) + ": " + error.what());
    }
  }
  with_our_errors(known, [&] {
    po::store(all, values);
    return 0;
  });
}

}  // namespace

po::variables_map parse_options(const std::vector<std::string>& arguments, const po::options_description& known,
                                const std::vector<std::string>& one_of) {
  return with_our_errors(known, [&] {
    namespace style = po::command_line_style;
    po::variables_map values;
    for (const std::string& argument : arguments)
      if (argument == "--" || (argument.size() > 1 && argument[0] == '-' && std::isalpha(argument[1]) != 0))
        refuse_unknown(argument, known);  // short options: there are none
    const auto parsed = po::command_line_parser(arguments)
                            .options(known)
                            .style(style::allow_long | style::long_allow_adjacent | style::long_allow_next)
                            .run();
    for (const auto& option : parsed.options)
      if (option.position_key >= 0)
        throw InputError("argument '" + option.value.front() +
                         "' stands alone, without an option before it; expected --option VALUE");
    po::store(parsed, values);
    if (values.contains("scenario") && !values.contains("help"))
      read_scenario(values["scenario"].as<std::string>(), known, one_of, values);
    po::notify(values);
    return values;
  });
}

std::string text_of(const po::variables_map& values, const std::string& option) {
  return values[option].as<std::string>();
}

bool is_switch(const po::option_description& option) { return option.semantic()->max_tokens() == 0; }

bool given(const po::variables_map& values, const std::string& option) { return values.contains(option); }

std::string take_first(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front().starts_with('-')) return "";
  std::string first = std::move(arguments.front());
  arguments.erase(arguments.begin());
  return first;
}

std::vector<std::string> take_files(std::vector<std::string>& arguments, const std::vector<std::string>& with_value) {
  std::vector<std::string> files, options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    (argument.starts_with('-') ? options : files).push_back(argument);
    if (std::find(with_value.begin(), with_value.end(), argument) != with_value.end() && i + 1 < arguments.size())
      options.push_back(arguments[++i]);
  }
  arguments = std::move(options);
  return files;
}

std::string shell_command(const std::string& program, const std::vector<std::string>& arguments) {
  std::string text = program;
  for (const std::string& argument : arguments) {
    const bool plain = argument.find_first_of(" '\"\\$*?&|;<>()#~`") == std::string::npos && !argument.empty();
    std::string quoted = "'";
    for (const char c : argument) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    text += " " + (plain ? argument : quoted + "'");
  }
  return text;
}

}  // namespace simtrain
