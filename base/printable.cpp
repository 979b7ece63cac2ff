#include "base/printable.hpp"

#include <cstddef>
#include <cstdint>

namespace simtrain {

namespace {

unsigned byte_at(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

bool continues(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

struct Character {
  std::size_t bytes;  // 0: not UTF-8 (RFC 3629: no surrogates, nothing longer than it need be)
  std::uint32_t code;
};

Character first_of(std::string_view text) {
  const unsigned lead = byte_at(text, 0);
  if (lead < 0x80U) return {1, lead};
  const std::size_t bytes = lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : 2;
  if (lead < 0xC2U || lead > 0xF4U || text.size() < bytes) return {0, 0};
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(byte_at(text, i))) return {0, 0};
    code = code << 6U | (byte_at(text, i) & 0x3FU);
  }
  const std::uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {0, 0};
  return {bytes, code};
}

bool is_control(std::uint32_t code) {
  const auto within = [code](std::uint32_t first, std::uint32_t last) { return code >= first && code <= last; };
  return code < 0x20 || within(0x7F, 0x9F) || within(0x2028, 0x202E) || within(0x2066, 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Character one = first_of(text);
    if (one.bytes == 0)
      clean += "\uFFFD";
    else if (is_control(one.code))
      clean += ' ';
    else
      clean += text.substr(0, one.bytes);
    text.remove_prefix(one.bytes == 0 ? 1 : one.bytes);
  }
  return clean;
}

std::string message_line(std::string_view text) {
  constexpr std::size_t kLongest = 4000, kBeginning = 3000, kEnd = 500;
  std::string line = printable(text);
  line.erase(line.find_last_not_of(' ') + 1);
  if (line.size() <= kLongest) return line;
  std::size_t head = kBeginning, tail = line.size() - kEnd;
  while (continues(byte_at(line, head))) --head;
  while (continues(byte_at(line, tail))) ++tail;
  return line.substr(0, head) + " … " + line.substr(tail);
}

}  // namespace simtrain
