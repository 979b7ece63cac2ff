// What terminals and messages get of names from users' files.
#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace simtrain {
namespace {

TEST(Printable, KeepsText) {
  for (const char* text : {"", "fc1", "µs – 日本語 🚀", "\u00A0", "\u07FF\u0800\uFFFD\U00010000\U0010FFFF"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreBlanks) {
  EXPECT_EQ(printable("a\nb\tc\x1b[31md\x7f"), "a b c [31md ");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a b");
  EXPECT_EQ(printable("a\u0080b\u009B31m"), "a b 31m");                // CSI in one character
  EXPECT_EQ(printable("\u202Eevil\u2066\u2069\u2028."), " evil   .");  // turn the text after them; a line break
}

TEST(Printable, WhatIsNotUtf8IsReplaced) {
  EXPECT_EQ(printable("a\xff.json"), "a\uFFFD.json");
  EXPECT_EQ(printable("\x80"), "\uFFFD");                      // continues nothing
  EXPECT_EQ(printable("\xC0\xAF"), "\uFFFD\uFFFD");            // "/" in two bytes
  EXPECT_EQ(printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printable("\xE2\x82"), "\uFFFD\uFFFD");            // ends early
  EXPECT_EQ(printable("\xF4\x90\x80\x80x"), "\uFFFD\uFFFD\uFFFD\uFFFDx");
}

TEST(MessageLine, IsOneLineOfBoundedLength) {
  EXPECT_EQ(message_line("two\nlines\n"), "two lines");
  std::string text = "begin";
  for (int i = 0; i < 1000000; ++i) text += "é";
  const std::string line = message_line(text + "end");
  EXPECT_LT(line.size(), 4000U);
  EXPECT_EQ(line.find("begin"), 0U);
  EXPECT_EQ(line.substr(line.size() - 3), "end");
  EXPECT_EQ(printable(line), line);  // not cut within a character
}

}  // namespace
}  // namespace simtrain
