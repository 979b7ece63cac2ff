// Plain-text tables: columns line up in characters, not bytes, so that "µs" and "–" do not shift what follows.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"

namespace simtrain {

inline constexpr std::size_t kReportWidth = 100;  // characters of the widest line of any report

// Characters (Unicode code points) of UTF-8 text. Wide and combining characters count as one.
std::size_t text_width(std::string_view text);

// At most `width` characters; a longer text is cut and ends in "…". Precondition: width >= 1.
std::string shortened(std::string_view text, std::size_t width);

class Table {
 public:
  enum class Align { left, right };

  struct Column {
    std::string
        heading;  // may have several lines; the last one stands right above the cells; no line when all are empty
    Align align = Align::right;
    std::string group = {};  // neighbours with the same one share a heading above theirs
  };

  explicit Table(std::vector<Column> columns);

  // One cell per column. Throws std::invalid_argument for any other number.
  void row(std::vector<std::string> cells);
  // A thin line across, before a total.
  void rule();

  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  // Cells as they were given, but for control characters; an empty row is a rule.
  [[nodiscard]] const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  // Lines indented by two blanks, each ending in '\n', without blanks at their ends. If the table is wider than
  // `width`, the cells of the first column are shortened, down to one character.
  [[nodiscard]] std::string text(std::size_t width = kReportWidth) const;

 private:
  [[nodiscard]] std::vector<std::size_t> column_widths(std::size_t width) const;
  [[nodiscard]] std::string group_line(const std::vector<std::size_t>& widths) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty row is a rule
};

}  // namespace simtrain
