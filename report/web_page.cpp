#include "report/web_page.hpp"

#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "report/html.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

std::string part(const char* folder, const char* name) {
  return read_file("part of the page", data_folder() / folder / name);
}

// "{{name}}" becomes its value, in which nothing is looked for.
std::string filled(std::string_view text, const std::map<std::string, std::string, std::less<>>& values) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find("{{", at), end = text.find("}}", begin);
    if (begin == std::string_view::npos || end == std::string_view::npos) return result += text.substr(at);
    const auto value = values.find(text.substr(begin + 2, end - begin - 2));
    SIMTRAIN_INVARIANT(value != values.end(), std::string(text.substr(begin, end - begin)));
    result += text.substr(at, begin - at);
    result += value->second;
    at = end + 2;
  }
  return result;
}

ordered_json data_of(const std::vector<Chart>& charts) {
  ordered_json value = ordered_json::array();
  for (const Chart& chart : charts) {
    ordered_json one = {{"id", chart.id}, {"type", chart.timeline ? "timeline" : "bars"}, {"unit", chart.unit}};
    one["labels"] = chart.labels;
    if (!chart.intervals.empty()) one["intervals"] = chart.intervals;
    one["series"] = ordered_json::array();
    for (const Chart::Series& series : chart.series)
      one["series"].push_back({{"name", series.name},
                               {"color", series.color < 0 ? ordered_json("other") : ordered_json(series.color)},
                               {chart.timeline ? "bars" : "values", series.data}});
    value.push_back(std::move(one));
  }
  return value;
}

}  // namespace

std::string figure_html(const Chart& chart) {
  constexpr std::size_t kLabel_px = 26, kAxis_px = 60;
  return "<figure class=\"chart\" id=\"" + chart.id + "\">\n<figcaption>" + escaped(chart.caption) +
         "</figcaption>\n<div class=\"legend\" role=\"group\" aria-label=\"Show or hide\"></div>\n" +
         "<div class=\"canvas\" style=\"height:" + std::to_string(kAxis_px + kLabel_px * chart.labels.size()) +
         "px\"><canvas role=\"img\" aria-label=\"" + escaped(chart.description) + "\"></canvas></div>\n</figure>\n";
}

std::string json_for_script(const ordered_json& value) {
  std::string text;
  for (const char c : value.dump(-1, ' ', true, ordered_json::error_handler_t::replace))
    text += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : c == '&' ? "\\u0026" : std::string(1, c);
  return text;
}

namespace {

std::string library_text() {
  std::string library = part("javascript", "chart.min.js");
  if (library.find("</script") != std::string::npos || library.find("<!--") != std::string::npos)
    throw InputError("'" + (data_folder() / "javascript" / "chart.min.js").string() +
                     "': cannot stand in a page; expected the minified Chart.js of a distribution");
  return library;
}

}  // namespace

void check_page_files() {
  for (const char* name : {"page.html", "page.css", "page.js"}) (void)part("page", name);
  (void)library_text();
}

std::string web_page(const std::string& title, const std::string& body, const std::vector<Chart>& charts) {
  return filled(part("page", "page.html"), {{"title", escaped(title)},
                                            {"style", part("page", "page.css")},
                                            {"body", body},
                                            {"version", SIMTRAIN_VERSION},
                                            {"data", json_for_script(data_of(charts))},
                                            {"library", library_text()},
                                            {"script", part("page", "page.js")}});
}

}  // namespace simtrain
