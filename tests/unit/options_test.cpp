// Command lines and scenarios: switches, who wins, and what is said of a wrong line.
#include "base/options.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/error.hpp"
#include "base/files.hpp"

namespace po = boost::program_options;

namespace simtrain {
namespace {

class Scenario : public testing::Test {
 protected:
  Scenario() {
    known.add_options()("bounds", "")("loud", "")("help", "")("size", po::value<std::string>()->default_value("1"))(
        "scenario", po::value<std::string>());
  }
  ~Scenario() override { std::filesystem::remove(path_); }

  po::variables_map read(const std::string& scenario, std::vector<std::string> more = {}) {
    write_file(path_, scenario);
    more.insert(more.end(), {"--scenario", path_});
    return parse_options(more, known);
  }
  std::string refusal(const std::string& scenario) {
    try {
      read(scenario);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }

  po::options_description known;
  const std::string path_ = "options_test.ini";
};

TEST_F(Scenario, ASwitchIsOnOrOff) {
  for (const char* on : {"yes", "true", "on", "1", "", "YES", "True"}) {
    const auto values = read("bounds = " + std::string(on) + "\n");
    EXPECT_TRUE(given(values, "bounds")) << on;
    EXPECT_FALSE(given(values, "loud")) << on;
  }
  for (const char* off : {"no", "false", "off", "0", "No", "OFF"})
    EXPECT_FALSE(given(read("bounds = " + std::string(off) + "\n"), "bounds")) << off;
  EXPECT_FALSE(given(read("bounds=no  # for now\n"), "bounds"));
}

TEST_F(Scenario, TheCommandLineTurnsASwitchOn) {
  EXPECT_TRUE(given(read("bounds = no\nsize = 2\n", {"--bounds"}), "bounds"));
  EXPECT_THROW(parse_options({"--bounds=no"}, known), InputError);
}

TEST_F(Scenario, RefusesWhatIsNeitherYesNorNo) {
  EXPECT_EQ(refusal("size = 2\n# a comment\nbounds = maybe\n"),
            "scenario 'options_test.ini', line 3: 'bounds = maybe' is not valid; expected yes or no (true, on, 1; "
            "false, off, 0)");
  EXPECT_EQ(refusal("bounds\n").find("scenario 'options_test.ini', line 1: "), 0U);
  EXPECT_EQ(refusal("bounds = 2\n").find("scenario 'options_test.ini', line 1: 'bounds = 2'"), 0U);
}

TEST_F(Scenario, AKeyStandsThereOnceWhateverItSays) {
  const std::string twice = "scenario 'options_test.ini', line 2: the key 'bounds' stands there twice";
  EXPECT_EQ(refusal("bounds = no\nbounds = no\n"), twice);
  EXPECT_EQ(refusal("bounds = no\nbounds = yes\n"), twice);
  EXPECT_NE(refusal("size = 1\nsize = 1\n").find("'size' stands there twice"), std::string::npos);
}

TEST_F(Scenario, RefusesWhatIsNoLineOfIt) {
  for (const char* line : {"size 2", "[sizes]", "= 2", "size", "[size = 2]"})
    EXPECT_EQ(refusal("# sizes\n" + std::string(line) + "  # odd\n"),
              "scenario 'options_test.ini', line 2: '" + std::string(line) + "' is not valid; expected key = value");
  EXPECT_EQ(
      refusal("help = yes\n"),
      "scenario 'options_test.ini', line 1: 'help' cannot stand in a scenario; expected --help on the command line");
}

TEST_F(Scenario, MayBeginWithAByteOrderMark) { EXPECT_EQ(text_of(read("\xEF\xBB\xBFsize = 2\r\n"), "size"), "2"); }

TEST_F(Scenario, IsASwitchWhatTakesNoValue) {
  EXPECT_TRUE(is_switch(known.find("bounds", false)));
  EXPECT_FALSE(is_switch(known.find("size", false)));
}

}  // namespace
}  // namespace simtrain
