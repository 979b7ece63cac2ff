#include "sim/platform/xml_syntax.hpp"

#include <expat.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "sim/platform/spec.hpp"

namespace simtrain {

namespace {

constexpr std::string_view kDocumentType = R"(<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">)";

struct ParserDeleter {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

// The callbacks are called from C: they keep an exception for later and stop the parser.
struct Reader {
  const std::string& file;
  XML_Parser parser;
  bool doctype_seen = false;
  std::exception_ptr refused = nullptr;

  [[nodiscard]] InputError error(std::string_view why) const {
    return InputError("platform '" + file + "', line " + std::to_string(XML_GetCurrentLineNumber(parser)) + ": " +
                      std::string(why));
  }
  void refuse(std::string_view why) {
    if (refused) return;  // the first one counts
    refused = std::make_exception_ptr(error(why));
    XML_StopParser(parser, XML_FALSE);
  }
};

std::string version_of(const XML_Char** attributes) {
  for (; *attributes != nullptr; attributes += 2)
    if (std::string_view(attributes[0]) == "version") return attributes[1];
  return {};
}

void on_doctype(void* data, const XML_Char* /*name*/, const XML_Char* /*system*/, const XML_Char* /*public*/,
                int /*has_subset*/) {
  static_cast<Reader*>(data)->doctype_seen = true;
}

// SimGrid takes a number without a unit for bytes, seconds or flops, and names no attribute when a unit is wrong.
struct Quantity {
  std::vector<std::string_view> attributes, units;
  std::string_view prefixes, expected;
};

const std::vector<Quantity>& quantities() {
  static const std::vector<Quantity> all{
      {{"bw", "bandwidth", "bb_bw", "loopback_bw"}, {"Bps", "bps"}, "kMGTPEZY", "a bandwidth, such as 6GBps or 25Gbps"},
      {{"lat", "latency", "bb_lat", "loopback_lat"},
       {"ps", "ns", "us", "ms", "s", "m", "h", "d", "w"},
       "",
       "a time, such as 2us"},
      {{"speed"}, {"f", "flops"}, "kMGTPEZY", "a speed, such as 1Gf"}};
  return all;
}

bool is_unit(std::string_view text, const Quantity& quantity) {
  if (!text.empty() && quantity.prefixes.find(text.front()) != std::string_view::npos) {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == 'i') text.remove_prefix(1);
  }
  return std::find(quantity.units.begin(), quantity.units.end(), text) != quantity.units.end();
}

// One value or several, with commas between. Without any unit only 0 is clear.
bool is_value(const std::string& text, const Quantity& quantity) {
  const char* at = text.c_str();
  for (;;) {
    char* end = nullptr;
    const double number = std::strtod(at, &end);
    const char* comma = end;
    while (*comma != '\0' && *comma != ',') ++comma;
    const std::string_view unit(end, static_cast<std::size_t>(comma - end));
    if (end == at || !(is_unit(unit, quantity) || (unit.empty() && number == 0))) return false;
    if (*comma == '\0') return true;
    at = comma + 1;
  }
}

// "0-255,300": more hosts than we simulate would keep SimGrid busy for hours.
bool has_too_many_hosts(const std::string& radical) {
  std::int64_t hosts = 0;
  const char* at = radical.c_str();
  for (char* end = nullptr; hosts <= kMostHosts; at = end + 1) {
    const long long first = std::strtoll(at, &end, 10);
    long long last = first;
    if (*end == '-') last = std::strtoll(end + 1, &end, 10);
    hosts += last > first ? std::min<long long>(last - first, kMostHosts) + 1 : 1;
    if (*end != ',') break;
  }
  return hosts > kMostHosts;
}

void on_element(void* data, const XML_Char* name, const XML_Char** attributes) {
  Reader& reader = *static_cast<Reader*>(data);
  for (; *attributes != nullptr; attributes += 2) {
    if (std::string_view(attributes[0]) == "radical" && has_too_many_hosts(attributes[1]))
      reader.refuse("attribute 'radical' of <" + std::string(name) + "> is '" + attributes[1] + "'; expected at most " +
                    std::to_string(kMostHosts) + " hosts");
    for (const Quantity& quantity : quantities())
      if (std::find(quantity.attributes.begin(), quantity.attributes.end(), attributes[0]) !=
              quantity.attributes.end() &&
          !is_value(attributes[1], quantity))
        reader.refuse("attribute '" + std::string(attributes[0]) + "' of <" + name + "> is '" + attributes[1] +
                      "'; expected " + std::string(quantity.expected));
  }
}

void on_root(void* data, const XML_Char* name, const XML_Char** attributes) {
  Reader& reader = *static_cast<Reader*>(data);
  XML_SetStartElementHandler(reader.parser, on_element);
  const std::string version = version_of(attributes);
  if (std::string_view(name) != "platform")
    reader.refuse("the root element is <" + std::string(name) + ">; expected <platform version=\"4.1\">");
  else if (version != "4" && version != "4.0" && version != "4.1")
    reader.refuse("platform version '" + version + "' is not known; expected 4 or 4.1 (SimGrid's " +
                  "simgrid_update_xml converts older files)");
  else if (!reader.doctype_seen)
    reader.refuse("the document type is missing; expected " + std::string(kDocumentType) + " above <platform>");
}

struct Quoted {
  std::string_view message;
  XML_Parser parser;
  std::optional<unsigned long> line = std::nullopt;
};

void on_quoted_element(void* data, const XML_Char* /*name*/, const XML_Char** attributes) {
  Quoted& quoted = *static_cast<Quoted*>(data);
  for (; *attributes != nullptr; attributes += 2) {
    const std::string value = attributes[1];
    if (quoted.message.find("'" + value + "'") != std::string_view::npos ||
        quoted.message.find('"' + value + '"') != std::string_view::npos || quoted.message.ends_with(": " + value))
      quoted.line = XML_GetCurrentLineNumber(quoted.parser);
  }
}

using ParserPointer = std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserDeleter>;

}  // namespace

void check_xml_syntax(const std::string& file, std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw InputError("platform '" + file + "': is larger than 2 GiB; expected a SimGrid platform");
  const ParserPointer parser(XML_ParserCreate(nullptr));
  Reader reader{file, parser.get()};
  XML_SetUserData(parser.get(), &reader);
  XML_SetStartDoctypeDeclHandler(parser.get(), on_doctype);
  XML_SetStartElementHandler(parser.get(), on_root);
  const XML_Status status = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (reader.refused) std::rethrow_exception(reader.refused);
  if (status != XML_STATUS_OK)
    throw reader.error(std::string("not well-formed XML: ") + XML_ErrorString(XML_GetErrorCode(parser.get())));
}

std::optional<unsigned long> line_quoted_in(std::string_view message, std::string_view text) {
  const ParserPointer parser(XML_ParserCreate(nullptr));
  Quoted quoted{message, parser.get()};
  XML_SetUserData(parser.get(), &quoted);
  XML_SetStartElementHandler(parser.get(), on_quoted_element);
  XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  return quoted.line;
}

}  // namespace simtrain
