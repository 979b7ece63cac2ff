// A report under construction: headings, labelled facts, tables. As plain text it is never wider than kReportWidth
// characters; its blocks also make a page for a browser (report/html.hpp), where figures have their place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"

namespace simtrain {

struct PageBlock {
  enum class Kind { heading, fact, sentence, warning, table, figure };
  Kind kind;
  std::string label, text;  // a fact has both; a figure is called `label`, and `text` is a heading above it or empty
  std::optional<Table> table = {};
};

class Page {
 public:
  void heading(std::string_view text);                                // preceded by an empty line, but for the first
  void fact(std::string_view label, std::string_view value);          // "  label        value", wrapped under the value
  void sentence(std::string_view text);                               // indented by two, wrapped
  void warning(std::string_view text);                                // "  WARNING: ...", wrapped
  void table(const Table& table);                                     // an empty line sets apart what follows
  void figure(std::string_view name, std::string_view heading = {});  // nothing in plain text

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<PageBlock>& blocks() const { return blocks_; }

 private:
  void add(const std::string& lines);

  std::vector<PageBlock> blocks_;
  std::string text_;
  bool gap_ = false;  // before the next lines
};

// Times of one table share one unit, so that a column can be read down: 0.0123, 0.4 -> "12.300", "400.000" in ms.
class TimeScale {
 public:
  explicit TimeScale(double largest_s);
  [[nodiscard]] const std::string& unit() const { return unit_; }  // "s", "ms", "µs"
  [[nodiscard]] double in_unit(double seconds) const { return seconds * factor_; }
  // "-" for nothing, "<0.001" for less than half of the last digit.
  [[nodiscard]] std::string operator()(double seconds) const;

 private:
  std::string unit_;
  double factor_ = 1;
  int decimals_ = 3;
};

// "38.8 %", "<0.1 %": one digit after the point, for columns; "-" for nothing.
std::string format_share(double part, double whole);
// "1.83"; "-" when there is nothing to compare with.
std::string format_ratio(double value, double reference);
// "1 rank", "8 ranks".
std::string counted(std::int64_t count, std::string_view thing);

}  // namespace simtrain
