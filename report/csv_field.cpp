#include "report/csv_field.hpp"

namespace simtrain {

std::string csv_text(std::string_view text) {
  std::string field = !text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos ? "'" : "";
  for (const char c : text) field += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  if (field.find_first_of(",\"") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace simtrain
