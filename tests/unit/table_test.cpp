#include "report/table.hpp"

#include <gtest/gtest.h>

#include "report/page.hpp"

namespace simtrain {
namespace {

TEST(TextWidth, CountsCharactersNotBytes) {
  EXPECT_EQ(text_width("12.3 µs"), 7U);  // µ: 2 bytes
  EXPECT_EQ(text_width("─█…"), 3U);      // 3 bytes each
  EXPECT_EQ(text_width(""), 0U);
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(shortened("µµµµ", 4), "µµµµ");
  EXPECT_EQ(shortened("µµµµ", 3), "µµ…");
  EXPECT_EQ(shortened("abc", 1), "…");
}

TEST(Table, AlignsUtf8AndNumbers) {
  Table table({{.heading = "name", .align = Table::Align::left}, {.heading = "time"}});
  table.row({"µ", "1"});
  table.row({"abcdef", "12.5 µs"});
  table.rule();
  table.row({"x", "3"});
  EXPECT_EQ(table.text(),
            "  name       time\n"
            "  µ             1\n"
            "  abcdef  12.5 µs\n"
            "  ───────────────\n"
            "  x             3\n");
}

TEST(Table, PutsGroupsAboveTheirColumnsAndHeadingsAtTheBottom) {
  Table table({{.heading = "a", .align = Table::Align::left},
               {.heading = "bbbbbb", .group = "g"},
               {.heading = "two\nlines", .group = "g"}});
  table.row({"1", "2", "3"});
  EXPECT_EQ(table.text(),
            "     ───── g ─────\n"
            "               two\n"
            "  a  bbbbbb  lines\n"
            "  1       2      3\n");
}

TEST(Table, LeavesOutEmptyHeadings) {
  Table table({{.heading = ""}, {.heading = ""}});
  table.row({"1", "2"});
  EXPECT_EQ(table.text(), "  1  2\n");
}

TEST(Table, ShortensTheFirstColumnToFit) {
  Table table({{.heading = "layer", .align = Table::Align::left}, {.heading = "s"}});
  table.row({"a rather long name", "1.25"});
  EXPECT_EQ(table.text(16),
            "  layer        s\n"
            "  a rathe…  1.25\n");
}

TEST(Table, KeepsControlCharactersOut) {
  Table table({{.heading = "name"}});
  table.row({"a\nb\x1b[31m"});
  EXPECT_EQ(table.text(), "      name\n  a b [31m\n");
}

TEST(Table, RefusesRowsOfOtherSizes) {
  Table table({{.heading = "a"}, {.heading = "b"}});
  EXPECT_THROW(table.row({"1"}), std::invalid_argument);
  EXPECT_THROW(table.row({}), std::invalid_argument);
}

TEST(TimeScale, PicksOneUnitAndEnoughDigits) {
  EXPECT_EQ(TimeScale(0.0123).unit(), "ms");
  EXPECT_EQ(TimeScale(0.0123)(0.0123), "12.300");
  EXPECT_EQ(TimeScale(0.4)(0.0123), "12.30");
  EXPECT_EQ(TimeScale(0.0123)(0), "-");
  EXPECT_EQ(TimeScale(0.0123)(4e-8), "<0.001");
  EXPECT_EQ(TimeScale(2.5)(0.0123), "12.30");  // still ms
  EXPECT_EQ(TimeScale(12)(1.5), "1.500");
  EXPECT_EQ(TimeScale(12).unit(), "s");
  EXPECT_EQ(TimeScale(5e-6).unit(), "µs");
  EXPECT_EQ(TimeScale(5e-6)(5e-6), "5.000");
}

TEST(Page, WrapsUnderTheValueAndKeepsQuantitiesTogether) {
  Page page;
  std::string words(80, 'x');
  page.fact("label", words + " 2 048 images");  // 15 + 80 + 1 + 5 > 100: "2 048 images" moves down as one
  EXPECT_EQ(page.text(), "  label        " + words + "\n" + std::string(15, ' ') + "2 048 images\n");
}

TEST(Page, CutsWordsThatAreWiderThanThePage) {
  Page page;
  page.sentence(std::string(150, 'y'));
  EXPECT_EQ(page.text(), "  " + std::string(98, 'y') + "\n  " + std::string(52, 'y') + "\n");
}

}  // namespace
}  // namespace simtrain
