#include "report/page.hpp"

#include <cmath>
#include <cstdio>
#include <vector>

#include "base/units.hpp"

namespace simtrain {

namespace {

constexpr std::size_t kLabelWidth = 13;

std::string fixed(double value, int decimals) {
  char buffer[400];  // the largest double has 309 digits
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  return buffer;
}

// Pieces between which a line may break: at blanks, except after a digit, which keeps "2 048" and "12.3 ms" together.
std::vector<std::string> unbreakable_pieces(std::string_view text) {
  std::vector<std::string> pieces;
  std::string piece;
  for (const char c : printable(text)) {
    const bool after_digit = !piece.empty() && piece.back() >= '0' && piece.back() <= '9';
    if (c == ' ' && !after_digit) {
      if (!piece.empty()) pieces.push_back(std::move(piece));
      piece.clear();
    } else {
      piece += c;
    }
  }
  if (!piece.empty()) pieces.push_back(std::move(piece));
  return pieces;
}

// Cuts `width` characters off the front of `text`.
std::string take_front(std::string& text, std::size_t width) {
  std::size_t end = 0;
  while (end < text.size() && text_width(std::string_view(text).substr(0, end + 1)) <= width) ++end;
  std::string front = text.substr(0, end);
  text.erase(0, end);
  return front;
}

// Lines of at most `width` characters; a longer word (a path) is cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::string piece : unbreakable_pieces(text)) {
    const std::size_t needed = text_width(piece) + (lines.back().empty() ? 0 : 1);
    if (text_width(lines.back()) + needed > width && !lines.back().empty()) lines.emplace_back();
    while (text_width(piece) > width) {
      lines.back() = take_front(piece, width);
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += piece;
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::string paragraph(std::string first_indent, std::string_view text) {
  const std::size_t indent = text_width(first_indent);
  std::string result;
  for (const std::string& line : wrapped(text, kReportWidth - indent)) {
    result += (result.empty() ? first_indent : std::string(indent, ' ')) + line + '\n';
  }
  return result;
}

}  // namespace

void Page::add(const std::string& lines) {
  if (gap_) text_ += '\n';
  gap_ = false;
  text_ += lines;
}

void Page::heading(std::string_view text) {
  blocks_.push_back({PageBlock::Kind::heading, "", std::string(text)});
  gap_ = !text_.empty();
  add(paragraph("", text));
}

void Page::fact(std::string_view label, std::string_view value) {
  blocks_.push_back({PageBlock::Kind::fact, std::string(label), std::string(value)});
  std::string indent = "  " + std::string(label);
  indent.append(text_width(label) < kLabelWidth ? kLabelWidth - text_width(label) : 1, ' ');
  add(paragraph(indent, value));
}

void Page::sentence(std::string_view text) {
  blocks_.push_back({PageBlock::Kind::sentence, "", std::string(text)});
  add(paragraph("  ", text));
}

void Page::warning(std::string_view text) {
  blocks_.push_back({PageBlock::Kind::warning, "", std::string(text)});
  add(paragraph("  WARNING: ", text));
}

void Page::figure(std::string_view name, std::string_view heading) {
  blocks_.push_back({PageBlock::Kind::figure, std::string(name), std::string(heading)});
}

void Page::table(const Table& table) {
  blocks_.push_back({PageBlock::Kind::table, "", "", table});
  add(table.text());
  gap_ = true;
}

// Seconds only from 10 s on: the small layers of a 2 s iteration would all be "0.00x".
TimeScale::TimeScale(double largest_s) {
  unit_ = largest_s >= 10 ? "s" : largest_s >= 1e-3 ? "ms" : "µs";
  factor_ = largest_s >= 10 ? 1 : largest_s >= 1e-3 ? 1e3 : 1e6;
  decimals_ = largest_s * factor_ >= 100 ? 2 : 3;
}

std::string TimeScale::operator()(double seconds) const {
  if (seconds == 0) return "-";
  const double smallest = std::pow(10.0, -decimals_);
  if (std::fabs(seconds * factor_) < smallest / 2) return std::string("<").append(fixed(smallest, decimals_));
  return fixed(seconds * factor_, decimals_);
}

std::string format_share(double part, double whole) {
  if (part <= 0 || whole <= 0) return "-";
  return part / whole < 0.0005 ? "<0.1 %" : fixed(100 * part / whole, 1) + " %";
}

std::string format_ratio(double value, double reference) { return reference > 0 ? fixed(value / reference, 2) : "-"; }

std::string counted(std::int64_t count, std::string_view thing) {
  return format_count(static_cast<double>(count)) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

}  // namespace simtrain
