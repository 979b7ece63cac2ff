#include "base/json.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.hpp"

namespace simtrain {

using nlohmann::json;

namespace {

std::string file_text(std::string_view what, const std::string& path) {
  return std::string(what) + (path.empty() ? "" : " '" + path + "'");
}

// What the library was parsing when it gave up, in our words; its texts begin with its own names and numbers.
std::string expected_there(const std::string& library_text) {
  using Words = std::pair<std::string_view, const char*>;
  for (const auto& [parsing, expected] :
       {Words{"parsing object key", "a key in quotes"}, Words{"parsing object separator", "':' after the key"},
        Words{"parsing object -", "',' or '}'"}, Words{"parsing array -", "',' or ']'"}})
    if (library_text.find(parsing) != std::string::npos) return expected;
  return library_text.find("expected end of input") != std::string::npos ? "nothing more" : "a value";
}

// "found 'tru' where a value was expected". `byte`: of the last one read, counted from 1.
std::string malformed(std::string_view text, std::size_t byte, const std::string& library_text) {
  constexpr std::size_t kShown = 20;
  const std::string_view read = text.substr(0, byte);
  const std::size_t line = read.rfind('\n', read.empty() ? 0 : read.size() - 2) + 1;  // npos + 1 is 0
  std::string found(read.substr(std::max(line, read.size() > kShown ? read.size() - kShown : 0)));
  for (char& c : found)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
  return "not valid JSON: expected " + expected_there(library_text) + " at the end of '" + found + "'";
}

// What parse_plain_json does on its way.
void leave_as_text(json& value, std::string_view own_key, LeftAsText left) {
  if (value.is_array())
    for (json& element : value) leave_as_text(element, own_key, left);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items())
    if (left(own_key, key))
      member = member.dump();
    else
      leave_as_text(member, key, left);
}

}  // namespace

json parse_json(std::string_view what, const std::string& path, std::string_view text, LeftAsText left) {
  if (std::optional<json> plain = parse_plain_json(text, left)) return *std::move(plain);
  const std::string file = file_text(what, path);
  // The library keeps the last of two equal keys without a word; a profile with two "samples" is a mistake.
  std::vector<std::set<std::string>> keys;
  std::string duplicate;
  const json::parser_callback_t watch = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      duplicate = parsed.get<std::string>();
    return true;
  };
  try {
    json document = json::parse(text, watch);
    if (!duplicate.empty()) throw InputError(file + ", key '" + duplicate + "': stands there twice");
    if (left != nullptr) leave_as_text(document, {}, left);
    return document;
  } catch (const json::parse_error& error) {
    const std::size_t byte = std::min(error.byte, text.size());
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(byte), '\n');
    throw InputError(
        file + ", line " + std::to_string(1 + lines) + ": " +
        (error.byte > text.size() ? "not valid JSON: the text ends early" : malformed(text, byte, error.what())));
  } catch (const json::exception& error) {
    const std::string library_text = error.what();
    const std::size_t number = library_text.find('\'');
    throw InputError(file + ": not valid JSON: a number is too large" +
                     (number == std::string::npos ? "" : ": " + library_text.substr(number)));
  }
}

JsonObject::JsonObject(std::string_view what, std::string path, const json& value, std::string place)
    : JsonObject(std::make_shared<const Source>(Source{std::string(what), std::move(path)}), value, std::move(place)) {}

JsonObject::JsonObject(std::shared_ptr<const Source> source, const json& value, std::string place)
    : source_(std::move(source)), place_(std::move(place)), value_(&value) {
  if (!value.is_object())
    throw InputError(file_text(source_->what, source_->path) + (place_.empty() ? "" : ", key '" + place_ + "'") +
                     ": expected an object {…}, found " + value.type_name());
}

namespace {

// A key of an object is told by where its value lies: names would have to be copied for each of thousands of objects.
void insert(std::vector<const json*>& values, const json& value) {
  if (std::find(values.rbegin(), values.rend(), &value) == values.rend()) values.push_back(&value);
}

}  // namespace

bool JsonObject::has(std::string_view key) {
  const auto found = value_->find(key);
  if (found == value_->end()) {
    absent_.emplace_back(key);
    return false;
  }
  insert(known_, *found);
  return true;
}

std::string JsonObject::full_key(std::string_view key) const {
  return place_.empty() ? std::string(key) : place_ + "." + std::string(key);
}

void JsonObject::refuse(std::string_view key, const std::string& why) const {
  throw InputError(file_text(source_->what, source_->path) + ", key '" + full_key(key) + "': " + why);
}

const json& JsonObject::get(std::string_view key) {
  const auto found = value_->find(key);
  if (found == value_->end()) refuse(key, "is missing");
  insert(asked_, *found);
  return *found;
}

std::string JsonObject::text(std::string_view key) {
  const json& value = get(key);
  if (!value.is_string()) refuse(key, "expected a text, found " + value.dump());
  return value.get<std::string>();
}

double JsonObject::number(std::string_view key, double least, double most) {
  const json& value = get(key);
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (!(number >= least && number <= most))
    refuse(key,
           "expected a number from " + json(least).dump() + " to " + json(most).dump() + ", found " + value.dump());
  return number;
}

std::int64_t JsonObject::integer(std::string_view key, std::int64_t least, std::int64_t most) {
  const json& value = get(key);
  const bool fits =
      value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    refuse(key, "expected a whole number " +
                    (most == std::numeric_limits<std::int64_t>::max()
                         ? "of at least " + std::to_string(least)
                         : "from " + std::to_string(least) + " to " + std::to_string(most)) +
                    ", found " + value.dump());
  return value.get<std::int64_t>();
}

bool JsonObject::boolean(std::string_view key) {
  const json& value = get(key);
  if (!value.is_boolean()) refuse(key, "expected true or false, found " + value.dump());
  return value.get<bool>();
}

const json& JsonObject::array(std::string_view key) {
  const json& value = get(key);
  if (!value.is_array()) refuse(key, "expected a list […], found " + std::string(value.type_name()));
  return value;
}

const json& JsonObject::any(std::string_view key) { return get(key); }

JsonObject JsonObject::object(std::string_view key) { return {source_, get(key), full_key(key)}; }

JsonObject JsonObject::element(std::string_view key, std::size_t i) {
  return {source_, array(key).at(i), full_key(key) + "[" + std::to_string(i) + "]"};
}

std::int64_t JsonObject::integer_or(std::string_view key, std::int64_t fallback, std::int64_t least,
                                    std::int64_t most) {
  return has(key) ? integer(key, least, most) : fallback;
}

double JsonObject::number_or(std::string_view key, double fallback, double least, double most) {
  return has(key) ? number(key, least, most) : fallback;
}

bool JsonObject::boolean_or(std::string_view key, bool fallback) { return has(key) ? boolean(key) : fallback; }

std::string JsonObject::text_or(std::string_view key, std::string fallback) { return has(key) ? text(key) : fallback; }

void JsonObject::finish() const {
  const auto among = [](const std::vector<const json*>& values, const json& value) {
    return std::find(values.begin(), values.end(), &value) != values.end();
  };
  for (const auto& [key, value] : value_->items()) {
    if (among(asked_, value)) continue;
    std::set<std::string> known(absent_.begin(), absent_.end());
    for (const auto& [other, its] : value_->items())
      if (among(asked_, its) || among(known_, its)) known.insert(other);
    refuse(key, unknown_choice("this key", key, {known.begin(), known.end()}));
  }
}

}  // namespace simtrain
