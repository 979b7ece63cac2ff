#include "report/table.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace simtrain {

namespace {

constexpr std::size_t kIndent = 2, kGap = 2;

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  while (times-- > 0) text += piece;
  return text;
}

std::vector<std::string> lines_of(const std::string& heading) {
  std::vector<std::string> lines(1);
  for (const char c : heading)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

std::string finished(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_character));
}

std::string shortened(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  std::size_t end = 0, characters = 0;
  while (end < text.size() && (!starts_character(text[end]) || ++characters < width)) ++end;
  return std::string(text.substr(0, end)) + "…";
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size() || cells.empty())
    throw std::invalid_argument("a row of " + std::to_string(cells.size()) + " cells in a table of " +
                                std::to_string(columns_.size()) + " columns");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

void Table::rule() { rows_.emplace_back(); }

std::vector<std::size_t> Table::column_widths(std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (const std::string& heading : lines_of(columns_[i].heading))
      widths[i] = std::max(widths[i], text_width(heading));
    for (const auto& cells : rows_)
      if (!cells.empty()) widths[i] = std::max(widths[i], text_width(cells[i]));
  }
  const std::size_t total =
      std::accumulate(widths.begin(), widths.end(), std::size_t{0}) + kIndent + kGap * (columns_.size() - 1);
  if (total > width) widths[0] -= std::min(total - width, widths[0] - 1);
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text(kIndent, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text.append(kGap, ' ');
    const std::string cell = shortened(cells[i], widths[i]);
    const std::string blanks(widths[i] - text_width(cell), ' ');
    text += columns_[i].align == Align::left ? cell + blanks : blanks + cell;
  }
  return finished(std::move(text));
}

// "───── compute ─────" above the columns of each group; nothing where there is no group.
std::string Table::group_line(const std::vector<std::size_t>& widths) const {
  std::string text(kIndent, ' ');
  for (std::size_t first = 0, last = 0; first < columns_.size(); first = last) {
    std::size_t span = widths[first];
    const std::string& group = columns_[first].group;
    for (last = first + 1; !group.empty() && last < columns_.size() && columns_[last].group == group; ++last)
      span += kGap + widths[last];
    const std::string name = group.empty() ? "" : shortened(" " + group + " ", span);
    const std::size_t rest = span - text_width(name);
    const std::string_view fill = group.empty() ? " " : "─";
    text += repeated(fill, rest / 2) + name + repeated(fill, rest - rest / 2);
    if (last < columns_.size()) text.append(kGap, ' ');
  }
  return finished(std::move(text));
}

std::string Table::text(std::size_t width) const {
  if (columns_.empty()) return {};
  const std::vector<std::size_t> widths = column_widths(width);
  std::string text;
  if (std::any_of(columns_.begin(), columns_.end(), [](const Column& column) { return !column.group.empty(); }))
    text += group_line(widths);

  std::size_t heading_lines = 0;
  for (const Column& column : columns_)
    if (!column.heading.empty()) heading_lines = std::max(heading_lines, lines_of(column.heading).size());
  for (std::size_t from_bottom = heading_lines; from_bottom-- > 0;) {
    std::vector<std::string> cells;
    for (const Column& column : columns_) {
      const auto lines = lines_of(column.heading);
      cells.push_back(from_bottom < lines.size() ? lines[lines.size() - 1 - from_bottom] : "");
    }
    text += line(cells, widths);
  }

  const std::size_t across = std::accumulate(widths.begin(), widths.end(), kGap * (columns_.size() - 1));
  for (const auto& cells : rows_)
    text += cells.empty() ? std::string(kIndent, ' ') + repeated("─", across) + '\n' : line(cells, widths);
  return text;
}

}  // namespace simtrain
