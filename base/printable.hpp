// Text that may hold names from users' files or command lines, made safe for a terminal and for one line.
#pragma once

#include <string>
#include <string_view>

namespace simtrain {

// The text with control characters as blanks (line breaks, escapes, U+0080 to U+009F, and those that turn the direction
// of the text after them), and bytes that are not UTF-8 as U+FFFD.
std::string printable(std::string_view text);

// One line of a message: printable, and of a very long text its beginning and its end, with "…" between.
std::string message_line(std::string_view text);

}  // namespace simtrain
