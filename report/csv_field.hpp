// Texts in CSV (RFC 4180), for spreadsheets as well as for programs.
#pragma once

#include <string>
#include <string_view>

namespace simtrain {

// Names may hold anything, and a spreadsheet runs what looks like a formula: a text that begins with = + - @ gets '
// before it, and control characters become blanks. Quoted where it must be. JSON has names as they are. Not for
// numbers.
std::string csv_text(std::string_view text);

}  // namespace simtrain
