#include "base/plain_json.hpp"

#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

namespace simtrain {

namespace {

using nlohmann::json;

// Every function reads on from where the last one stopped and returns false for what is not plain.
class PlainReader {
 public:
  PlainReader(std::string_view text, LeftAsText left)
      : at_(text.data()), end_(text.data() + text.size()), left_(left) {}

  bool document(json& value) {
    if (!read(value, {}, kMostNested)) return false;
    skip_blanks();
    return at_ == end_;
  }

 private:
  static constexpr int kMostNested = 200;

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }

  // Whether that follows, which is then passed.
  bool pass(char expected) {
    skip_blanks();
    if (at_ == end_ || *at_ != expected) return false;
    ++at_;
    return true;
  }

  bool word(std::string_view expected) {
    if (std::string_view(at_, static_cast<std::size_t>(end_ - at_)).substr(0, expected.size()) != expected)
      return false;
    at_ += expected.size();
    return true;
  }

  bool word(std::string_view expected, json meant, json& value) {
    value = std::move(meant);
    return word(expected);
  }

  // Passes a value without making one.
  bool skim(int nested) {
    skip_blanks();
    if (at_ == end_ || nested == 0) return false;
    std::string_view inside;
    bool whole = false;
    switch (*at_) {
      case '{':
        ++at_;
        if (pass('}')) return true;
        do {
          skip_blanks();
          if (!characters(inside) || !pass(':') || !skim(nested - 1)) return false;
        } while (pass(','));
        return pass('}');
      case '[':
        ++at_;
        if (pass(']')) return true;
        do
          if (!skim(nested - 1)) return false;
        while (pass(','));
        return pass(']');
      case '"':
        return characters(inside);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        return digits_of_number(whole);
    }
  }

  bool leave(json& value, int nested) {
    skip_blanks();
    const char* const begin = at_;
    if (!skim(nested)) return false;
    value = std::string(begin, at_);
    return true;
  }

  bool read(json& value, std::string_view key, int nested) {
    skip_blanks();
    if (at_ == end_ || nested == 0) return false;
    switch (*at_) {
      case '{':
        return object(value, key, nested);
      case '[':
        return array(value, key, nested);
      case '"':
        return text(value);
      case 't':
        return word("true", true, value);
      case 'f':
        return word("false", false, value);
      case 'n':
        return word("null", nullptr, value);
      default:
        return number(value);
    }
  }

  bool object(json& value, std::string_view own_key, int nested) {
    value = json::object();
    auto& members = *value.get_ptr<json::object_t*>();
    ++at_;
    if (pass('}')) return true;
    do {
      std::string_view key;
      skip_blanks();
      if (!characters(key) || !pass(':')) return false;
      const auto [member, is_new] = members.try_emplace(std::string(key));
      if (!is_new) return false;
      const bool as_text = left_ != nullptr && left_(own_key, key);
      if (as_text ? !leave(member->second, nested - 1) : !read(member->second, key, nested - 1)) return false;
    } while (pass(','));
    return pass('}');
  }

  bool array(json& value, std::string_view own_key, int nested) {
    value = json::array();
    auto& elements = *value.get_ptr<json::array_t*>();
    ++at_;
    if (pass(']')) return true;
    do
      if (!read(elements.emplace_back(), own_key, nested - 1)) return false;
    while (pass(','));
    return pass(']');
  }

  bool text(json& value) {
    std::string_view inside;
    if (!characters(inside)) return false;
    value = inside;
    return true;
  }

  bool characters(std::string_view& inside) {
    if (at_ == end_ || *at_ != '"') return false;
    const char* const begin = ++at_;
    constexpr char kFirst = ' ', kLast = '~';
    while (at_ != end_ && *at_ >= kFirst && *at_ <= kLast && *at_ != '"' && *at_ != '\\') ++at_;
    if (at_ == end_ || *at_ != '"') return false;
    inside = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
  }

  bool number(json& value) {
    const char* const begin = at_;
    bool whole = false;
    if (!digits_of_number(whole)) return false;
    if (!whole) return convert<double>(begin, value);
    return *begin == '-' ? convert<std::int64_t>(begin, value) : convert<std::uint64_t>(begin, value);
  }

  // By the grammar of JSON, which is narrower than that of std::from_chars.
  bool digits_of_number(bool& whole) {
    const char* const begin = at_;
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const bool zero = at_ != end_ && *at_ == '0';
    if (!digits() || (zero && at_ - begin > (negative ? 2 : 1))) return false;
    whole = true;
    if (at_ != end_ && *at_ == '.') {
      whole = false;
      ++at_;
      if (!digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      whole = false;
      ++at_;
      if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return false;
    }
    return true;
  }

  bool digits() {
    const char* const begin = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != begin;
  }

  template <typename Number>
  bool convert(const char* begin, json& value) const {
    Number number{};
    if (std::from_chars(begin, at_, number).ec != std::errc{}) return false;
    value = number;
    return true;
  }

  const char* at_;
  const char* end_;
  LeftAsText left_;
};

}  // namespace

std::optional<json> parse_plain_json(std::string_view text, LeftAsText left) {
  json value;
  if (PlainReader(text, left).document(value)) return value;
  return std::nullopt;
}

}  // namespace simtrain
