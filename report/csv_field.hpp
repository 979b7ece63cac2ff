// CSV (RFC 4180, lines end in \n), for spreadsheets as well as for programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simtrain {

// Names may hold anything, and a spreadsheet runs what looks like a formula: a text that begins with = + - @ gets '
// before it, and control characters become blanks. Quoted where it must be. JSON has names as they are. Not for
// numbers.
std::string csv_text(std::string_view text);

// The shortest text that reads back as the same double: "1", "0.25", "1e-06".
std::string csv_number(double value);

// A line from its fields; it ends in \n.
class CsvLine {
 public:
  void add(std::string_view text) { append(csv_text(text)); }
  void add(double value) { append(csv_number(value)); }
  void add_count(std::int64_t count) { append(std::to_string(count)); }
  void add_empty(int fields = 1) {
    for (; fields > 0; --fields) append("");
  }
  [[nodiscard]] std::string text() const { return text_ + "\n"; }

 private:
  void append(const std::string& field);

  std::string text_;
  bool any_ = false;
};

}  // namespace simtrain
