// Looking things up in the text of a report.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "report/table.hpp"

namespace simtrain {

// Lines of a text, each of which must fit the page.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    EXPECT_LE(text_width(line), kReportWidth) << line;
    lines.push_back(line);
  }
  return lines;
}

// The first line that holds all of `words`, in this order; -1 if there is none.
inline int line_with(const std::string& text, const std::vector<std::string>& words) {
  const auto lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t at = 0;
    for (const std::string& word : words)
      if (at != std::string::npos) at = lines[i].find(word, at);
    if (at != std::string::npos) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace simtrain
