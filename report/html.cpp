#include "report/html.hpp"

#include <algorithm>

namespace simtrain {

std::string escaped(std::string_view text) {
  std::string clean;
  for (const char c : printable(text)) switch (c) {
      case '&':
        clean += "&amp;";
        break;
      case '<':
        clean += "&lt;";
        break;
      case '>':
        clean += "&gt;";
        break;
      case '"':
        clean += "&quot;";
        break;
      case '\'':
        clean += "&#39;";
        break;
      default:
        clean += c;
    }
  return clean;
}

namespace {

using Columns = std::vector<Table::Column>;

constexpr std::string_view kBar = "█", kEndOfFact = "</div>\n";

std::string element(const std::string& tag, const std::string& attributes, const std::string& content) {
  return "<" + tag + attributes + ">" + content + "</" + tag + ">";
}

std::string align_of(const Table::Column& column) {
  return column.align == Table::Align::right ? " class=\"number\"" : "";
}

std::string on_one_line(std::string heading) {
  std::replace(heading.begin(), heading.end(), '\n', ' ');
  return heading;
}

// Without a group, the cell above a heading is empty.
std::string group_row(const Columns& columns) {
  std::string row;
  for (std::size_t first = 0, last = 0; first < columns.size(); first = last) {
    const std::string& group = columns[first].group;
    for (last = first + 1; !group.empty() && last < columns.size() && columns[last].group == group;) ++last;
    row += group.empty()
               ? "<td></td>"
               : element("th", " scope=\"colgroup\" colspan=\"" + std::to_string(last - first) + "\"", escaped(group));
  }
  return element("tr", "", row) + "\n";
}

std::string head_of(const Columns& columns) {
  std::string rows, row;
  if (std::any_of(columns.begin(), columns.end(), [](const auto& column) { return !column.group.empty(); }))
    rows = group_row(columns);
  if (std::all_of(columns.begin(), columns.end(), [](const auto& column) { return column.heading.empty(); })) return "";
  for (const Table::Column& column : columns)
    row += column.heading.empty()
               ? "<td></td>"
               : element("th", " scope=\"col\"" + align_of(column), escaped(on_one_line(column.heading)));
  return element("thead", "", "\n" + rows + element("tr", "", row) + "\n") + "\n";
}

// A bar of blocks is as long in the same unit, and nothing to be read out.
std::string cell_of(const std::string& text, const Table::Column& column) {
  if (text.starts_with(kBar) && text.find_first_not_of(kBar) == std::string::npos)
    return "<td aria-hidden=\"true\"><span class=\"bar\" style=\"width:" + std::to_string(text_width(text)) +
           "ch\"></span></td>";
  return element("td", align_of(column), escaped(text));
}

std::string row_of(const std::vector<std::string>& cells, const Columns& columns, bool total) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i)
    row += i > 0              ? cell_of(cells[i], columns[i])
           : cells[i].empty() ? "<td></td>"
                              : element("th", " scope=\"row\"" + align_of(columns[i]), escaped(cells[i]));
  return element("tr", total ? " class=\"total\"" : "", row) + "\n";
}

class Renderer {
 public:
  explicit Renderer(const DrawFigure& draw) : draw_(draw) {}

  std::string render(const Page& page) {
    for (const PageBlock& block : page.blocks()) add(block);
    close_facts();
    close_section();
    return html_;
  }

 private:
  void add(const PageBlock& block) {
    if (block.kind != PageBlock::Kind::fact) close_facts();
    switch (block.kind) {
      case PageBlock::Kind::heading:
        open_section(block.text);
        break;
      case PageBlock::Kind::fact:
        add_fact(block);
        break;
      case PageBlock::Kind::sentence:
        html_ += element("p", "", escaped(block.text)) + "\n";
        break;
      case PageBlock::Kind::warning:
        html_ +=
            element("p", " class=\"warning\" role=\"note\"", "<strong>Warning:</strong> " + escaped(block.text)) + "\n";
        break;
      case PageBlock::Kind::table:
        html_ += to_html(*block.table, heading_);
        break;
      case PageBlock::Kind::figure:
        add_figure(block);
    }
  }

  void open_section(const std::string& heading) {
    close_section();
    heading_ = heading;
    const std::string id = "section-" + std::to_string(++sections_);
    html_ += "<section aria-labelledby=\"" + id + "\">\n" +
             element(sections_ == 1 ? "h1" : "h2", " id=\"" + id + "\"", escaped(heading)) + "\n";
  }
  void close_section() {
    if (sections_ > 0) html_ += "</section>\n";
  }

  // A fact without a label goes on with the one before it.
  void add_fact(const PageBlock& block) {
    const std::string value = element("dd", "", escaped(block.text));
    if (block.label.empty() && facts_open_) {
      html_.insert(html_.size() - kEndOfFact.size(), value);
      return;
    }
    if (!facts_open_) html_ += "<dl class=\"facts\">\n";
    facts_open_ = true;
    html_ += "<div>" + element("dt", "", escaped(block.label)) + value + std::string(kEndOfFact);
  }
  void close_facts() {
    if (facts_open_) html_ += "</dl>\n";
    facts_open_ = false;
  }

  void add_figure(const PageBlock& block) {
    const std::string drawn = draw_(block.label);
    if (drawn.empty()) return;
    if (!block.text.empty()) open_section(block.text);
    html_ += drawn;
  }

  const DrawFigure& draw_;
  std::string html_, heading_;
  int sections_ = 0;
  bool facts_open_ = false;
};

}  // namespace

std::string to_html(const Table& table, std::string_view caption) {
  std::string rows;
  bool total = false;
  for (const auto& cells : table.rows()) {
    total = total || cells.empty();
    if (!cells.empty()) rows += row_of(cells, table.columns(), total);
  }
  const std::string name = escaped(caption);
  return "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"" + name + "\">\n<table>\n" +
         element("caption", " class=\"hidden\"", name) + "\n" + head_of(table.columns()) + "<tbody>\n" + rows +
         "</tbody>\n</table>\n</div>\n";
}

std::string to_html(const Page& page, const DrawFigure& draw) { return Renderer(draw).render(page); }

}  // namespace simtrain
