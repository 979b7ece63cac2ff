// The fast reader of JSON against the library's own.
#include "base/plain_json.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace simtrain {
namespace {

using nlohmann::json;

std::optional<json> by_library(const std::string& text) {
  const json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

// Equal as values, as numbers of the same kind and as texts.
void expect_same(const std::string& text) {
  const std::optional<json> ours = parse_plain_json(text), theirs = by_library(text);
  ASSERT_TRUE(ours) << text;
  ASSERT_TRUE(theirs) << text;
  EXPECT_EQ(*ours, *theirs) << text;
  EXPECT_EQ(ours->dump(), theirs->dump()) << text;
  EXPECT_EQ(ours->type(), theirs->type()) << text;
}

TEST(PlainJson, ReadsWhatTheLibraryReads) {
  for (const char* text :
       {"{}", "[]", " [ ] ", "{\"a\":1}", "[1,2.5,-3,0,-0,0.0,-0.0,1e5,1E-5,1.25e+300,18446744073709551615]",
        "[-9223372036854775808,4.9e-324,0.1,123456789.123456789]", "{\"a\":{\"b\":[true,false,null,\"x y\"]},\"\":[]}",
        "\"text\"", "7", "true", "\t{\r\n\"k\" : [ { } , { \"l\" : null } ]\n}\n"})
    expect_same(text);
}

TEST(PlainJson, LeavesTheRest) {
  for (const char* text :
       {"", " ", "{", "}", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[1 2]", "01", "-", "+1", ".5",
        "1.", "1e", "1e+", "-01", "nul", "truefalse", "[1]]", "\"open", "\"tab\tinside\"", "1e999",
        // right, but not plain
        "\"a\\n\"", "\"\xC3\xA9\"", "{\"a\":1,\"a\":2}", "18446744073709551616", "\xEF\xBB\xBF{}"})
    EXPECT_FALSE(parse_plain_json(text)) << text;
  EXPECT_FALSE(parse_plain_json(std::string(100'000, '[')));
  for (std::size_t length = 1; length < 20; ++length)  // broken off anywhere
    EXPECT_FALSE(parse_plain_json(std::string("{\"a\":[1,true,{}]}   ").substr(0, std::min<std::size_t>(length, 16))));
}

// Values of "rows" in the object "table", and of objects in lists there.
bool is_rows(std::string_view parent, std::string_view key) { return parent == "table" && key == "rows"; }

TEST(PlainJson, LeavesValuesAsTexts) {
  const json read =
      *parse_plain_json("{\"table\": {\"rows\":  [1, {\"a\":\"]\"}] , \"n\": 1}, \"rows\": [2]}", is_rows);
  EXPECT_EQ(read, json::parse("{\"table\":{\"rows\":\"[1, {\\\"a\\\":\\\"]\\\"}]\",\"n\":1},\"rows\":[2]}"));
  EXPECT_EQ(*parse_plain_json("{\"table\":[{\"rows\":true},{\"rows\":-1.5e3}]}", is_rows),
            json::parse("{\"table\":[{\"rows\":\"true\"},{\"rows\":\"-1.5e3\"}]}"));
  for (const char* wrong : {"[1,]", "[1", "{\"a\" 1}", "01", "1.", "tru", "\"a\\n\"", "", "1 2", "[1]]"})
    EXPECT_FALSE(parse_plain_json("{\"table\":{\"rows\":" + std::string(wrong) + "}}", is_rows)) << wrong;
  EXPECT_FALSE(parse_plain_json("{\"table\":{\"rows\":" + std::string(100'000, '[') + "}}", is_rows));
}

TEST(PlainJson, ReadsTheFilesThatAreShipped) {
  int files = 0;
  for (const char* folder : {"calibrate/profiles", "scenarios", "docs"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".json") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      if (const std::optional<json> ours = parse_plain_json(text.str())) {
        EXPECT_EQ(*ours, json::parse(text.str())) << entry.path();
        ++files;
      }
    }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace simtrain
