// Options with several values: how they are separated, and who wins.
#include "base/option_lists.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/options.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

using Words = std::vector<std::string>;

TEST(SplitList, BarsAndRepetitionsSeparateWhateverValuesHold) {
  EXPECT_EQ(split_list("--s", {"uniform | conv*:1x256; fc8:16x16", "domain"}, Commas::part_of_values),
            (Words{"uniform", "conv*:1x256; fc8:16x16", "domain"}));
  EXPECT_EQ(split_list("--p", {"torus:8x8,latency=1us|ethernet:64,bandwidth=25Gbps"}, Commas::part_of_values),
            (Words{"torus:8x8,latency=1us", "ethernet:64,bandwidth=25Gbps"}));
  EXPECT_EQ(split_list("--b", {"256,512", "1024 | 2048"}, Commas::between_values),
            (Words{"256", "512", "1024", "2048"}));
}

TEST(SplitList, RefusesEmptyAndRepeatedValues) {
  for (const Words& texts : {Words{"a | "}, Words{""}, Words{"a||b"}, Words{"a", " "}})
    EXPECT_THROW((void)split_list("--s", texts, Commas::part_of_values), InputError);
  EXPECT_THROW((void)split_list("--s", {"a", "b|a"}, Commas::part_of_values), InputError);
  EXPECT_EQ(split_list("--s", {"a,"}, Commas::part_of_values), Words{"a,"});
  EXPECT_THROW((void)split_list("--s", {"a,"}, Commas::between_values), InputError);
}

class ListOptions : public testing::Test {
 protected:
  ListOptions() {
    known.add_options()("color", list_value("C", "red"))("size", list_value("N"))("scenario", po::value<std::string>());
    write_file(path_, "color = blue | green\ncolor = white\nsize = 3\n");
  }
  ~ListOptions() override { std::filesystem::remove(path_); }
  [[nodiscard]] Words colors(std::vector<std::string> arguments) const {
    return list_of(parse_options(arguments, known), "color", Commas::part_of_values);
  }
  po::options_description known;
  const std::string path_ = "option_lists_test.ini";
};

TEST_F(ListOptions, ComeFromTheCommandLineElseTheScenarioElseTheDefault) {
  EXPECT_EQ(colors({}), Words{"red"});
  EXPECT_EQ(colors({"--scenario", path_}), (Words{"blue", "green", "white"}));
  EXPECT_EQ(colors({"--color", "pink", "--scenario", path_, "--color", "grey|black"}),
            (Words{"pink", "grey", "black"}));
  EXPECT_EQ(list_of(parse_options({"--scenario", path_}, known), "size", Commas::between_values), Words{"3"});
  EXPECT_TRUE(list_of(parse_options({}, known), "size", Commas::between_values).empty());
}

}  // namespace
}  // namespace simtrain
