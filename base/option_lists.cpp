#include "base/option_lists.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

po::typed_value<std::vector<std::string>>* list_value(const std::string& name, const std::string& fallback) {
  auto* value = po::value<std::vector<std::string>>()->value_name(name);
  return fallback.empty() ? value : value->default_value({fallback}, fallback);
}

bool is_list(const po::option_description& option) {
  return dynamic_cast<const po::typed_value<std::vector<std::string>>*>(option.semantic().get()) != nullptr;
}

std::vector<std::string> split_list(std::string_view option, const std::vector<std::string>& texts, Commas commas) {
  const std::string_view separators = commas == Commas::between_values ? "|," : "|";
  std::vector<std::string> values;
  for (const std::string_view text : texts)
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
      const std::string value(trimmed(text.substr(begin, end - begin)));
      if (value.empty())
        throw InputError(std::string(option) + ": '" + std::string(text) +
                         "' has an empty value; expected one, or several with '|' between them");
      if (std::find(values.begin(), values.end(), value) != values.end())
        throw InputError(std::string(option) + ": '" + value + "' stands there twice");
      values.push_back(value);
      begin = end + 1;
    }
  return values;
}

std::vector<std::string> list_of(const po::variables_map& values, const std::string& option, Commas commas) {
  if (!values.contains(option)) return {};
  return split_list("--" + option, values[option].as<std::vector<std::string>>(), commas);
}

}  // namespace simtrain
