// Well-formed XML as a tree, for looking at what a platform file holds before SimGrid does.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace simtrain {

struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  unsigned long line = 0;
  std::vector<XmlElement> children;

  [[nodiscard]] std::string attribute(const std::string& key, const std::string& fallback = {}) const;
};

// The root element, or one without a name if `text` is not well-formed.
XmlElement parse_xml(std::string_view text);

}  // namespace simtrain
