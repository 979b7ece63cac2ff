// A whole page for a browser, in one file that needs nothing else: our template, styles and script (report/page/) and
// the library that draws charts, from the data folder (base/files.hpp).
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace simtrain {

// What one chart shows; page.js has the two types.
struct Chart {
  struct Series {
    std::string name;
    int color = -1;  // the number of a Phase; -1: of none
    nlohmann::ordered_json data;
  };
  std::string id;           // of its figure: letters and dashes
  std::string description;  // for those who do not see it
  std::string caption, unit;
  bool timeline = false;  // else stacked bars
  std::vector<std::string> labels;
  std::vector<std::array<double, 2>> intervals = {};  // of bars: from, to, over each of them; or none
  std::vector<Series> series;  // data: of bars a value for each label; of a timeline [label's number, begin, end, what]
};

// Where the chart is drawn, below its caption; as high as it has labels.
std::string figure_html(const Chart& chart);

// InputError when a file of the data folder is missing, or the library cannot stand in a page.
void check_page_files();

// `body`: HTML. The InputErrors of check_page_files().
std::string web_page(const std::string& title, const std::string& body, const std::vector<Chart>& charts);

// JSON that may stand in a <script> of HTML: no text in it can end the element or begin a comment.
std::string json_for_script(const nlohmann::ordered_json& value);

}  // namespace simtrain
