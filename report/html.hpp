// Reports for a browser: semantic HTML without styles. Texts come from users' files: every one of them is escaped here.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "report/page.hpp"

namespace simtrain {

// For content and for attributes in double quotes.
std::string escaped(std::string_view text);

// A caption that only readers of screens get, headings with a scope, in a box that scrolls by itself when it is too
// wide.
std::string to_html(const Table& table, std::string_view caption);

// What a figure of a page shows, as HTML; empty: the page goes without it, and without its heading.
using DrawFigure = std::function<std::string(const std::string& name)>;

// A section for each heading; the first is the page's, h1, the others h2.
std::string to_html(const Page& page, const DrawFigure& draw);

}  // namespace simtrain
