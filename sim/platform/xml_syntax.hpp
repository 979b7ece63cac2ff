// Looks at a platform file before SimGrid does, for the clear messages that SimGrid does not give.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace simtrain {

// InputError "platform 'FILE', line L: …" unless `text` is well-formed XML (expat decides) with the document type that
// SimGrid asks for, the root element <platform>, and a version that SimGrid reads.
void check_xml_syntax(const std::string& file, std::string_view text);

// Where a message that names no line comes from: the line of the last element of well-formed XML that has an attribute
// whose value the message quotes, 'thus' or "thus" or ": thus" at its end.
std::optional<unsigned long> line_quoted_in(std::string_view message, std::string_view text);

}  // namespace simtrain
