#include "report/csv_field.hpp"

#include <array>
#include <charconv>

#include "base/printable.hpp"

namespace simtrain {

std::string csv_text(std::string_view text) {
  std::string field = !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos ? "'" : "";
  field += printable(text);
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

void CsvLine::append(const std::string& field) {
  text_ += (any_ ? "," : "") + field;
  any_ = true;
}

}  // namespace simtrain
