#include "sim/platform/xml_element.hpp"

#include <expat.h>

#include <memory>

namespace simtrain {

namespace {

struct Builder {
  XML_Parser parser;
  XmlElement document = {};            // its child is the root
  std::vector<XmlElement> begun = {};  // those that are open, outermost first
};

void on_start(void* data, const XML_Char* name, const XML_Char** pairs) {
  auto& builder = *static_cast<Builder*>(data);
  XmlElement element{name, {}, XML_GetCurrentLineNumber(builder.parser), {}};
  for (; *pairs != nullptr; pairs += 2) element.attributes.emplace(pairs[0], pairs[1]);
  builder.begun.push_back(std::move(element));
}

void on_end(void* data, const XML_Char* /*name*/) {
  auto& builder = *static_cast<Builder*>(data);
  XmlElement done = std::move(builder.begun.back());
  builder.begun.pop_back();
  (builder.begun.empty() ? builder.document : builder.begun.back()).children.push_back(std::move(done));
}

}  // namespace

std::string XmlElement::attribute(const std::string& key, const std::string& fallback) const {
  const auto found = attributes.find(key);
  return found == attributes.end() ? fallback : found->second;
}

XmlElement parse_xml(std::string_view text) {
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                                             &XML_ParserFree);
  Builder builder{parser.get()};
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) != XML_STATUS_OK) return {};
  return std::move(builder.document.children.front());
}

}  // namespace simtrain
