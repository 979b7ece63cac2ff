// Strict reading of JSON: every key is asked for once, unknown keys fail, ranges are checked, and each error names the
// file, the place in it and what was expected. Only good values travel on.
//
//   const nlohmann::json document = parse_json("profile", path, text);
//   JsonObject root("profile", path, document);
//   const std::string name = root.text("name");
//   const std::int64_t batch = root.integer("batch", 1, 1 << 20);
//   root.finish();                                  // any key not asked for is an error
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain_json.hpp"

namespace simtrain {

// InputError "WHAT 'PATH', line L: not valid JSON: expected …" for malformed or truncated text. Duplicate keys are
// refused. An empty path: WHAT says it all. `left`: whose values are left as texts (base/plain_json.hpp), to be parsed
// when they are asked for; equal keys in them may be found only then.
nlohmann::json parse_json(std::string_view what, const std::string& path, std::string_view text,
                          LeftAsText left = nullptr);

class JsonObject {
 public:
  // `value` must outlive the reader and be an object. `place` is where it stands in the document: "layers[3]".
  JsonObject(std::string_view what, std::string path, const nlohmann::json& value, std::string place = {});

  // Asking makes the key one of those that finish() names as known.
  [[nodiscard]] bool has(std::string_view key);

  std::string text(std::string_view key);
  double number(std::string_view key, double least, double most);
  std::int64_t integer(std::string_view key, std::int64_t least,
                       std::int64_t most = std::numeric_limits<std::int64_t>::max());
  bool boolean(std::string_view key);
  const nlohmann::json& array(std::string_view key);
  const nlohmann::json& any(std::string_view key);
  JsonObject object(std::string_view key);
  // Element i of the array `key`, which must be an object.
  JsonObject element(std::string_view key, std::size_t i);

  // The key's value or the fallback when it is absent.
  std::int64_t integer_or(std::string_view key, std::int64_t fallback, std::int64_t least,
                          std::int64_t most = std::numeric_limits<std::int64_t>::max());
  double number_or(std::string_view key, double fallback, double least, double most);
  bool boolean_or(std::string_view key, bool fallback);
  std::string text_or(std::string_view key, std::string fallback);

  // Refuses keys that were not asked for, naming the nearest one that exists.
  void finish() const;

  // InputError "WHAT 'PATH', key 'place.key': why".
  [[noreturn]] void refuse(std::string_view key, const std::string& why) const;

 private:
  struct Source {
    std::string what, path;
  };
  JsonObject(std::shared_ptr<const Source> source, const nlohmann::json& value, std::string place);
  const nlohmann::json& get(std::string_view key);
  [[nodiscard]] std::string full_key(std::string_view key) const;

  std::shared_ptr<const Source> source_;
  std::string place_;
  const nlohmann::json* value_;
  std::vector<const nlohmann::json*> asked_, known_;  // read; looked for and there
  std::vector<std::string> absent_;                   // looked for
};

}  // namespace simtrain
