// Looks at a platform file before SimGrid does, for the clear messages that SimGrid does not give.
#pragma once

#include <string>
#include <string_view>

namespace simtrain {

// InputError "platform 'FILE', line L: …" unless `text` is well-formed XML (expat decides) with the document type that
// SimGrid asks for, the root element <platform>, and a version that SimGrid reads.
void check_xml_syntax(const std::string& file, std::string_view text);

}  // namespace simtrain
