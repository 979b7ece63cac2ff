// Slow hosts and degraded links: which parts do patterns and draws find?
#include "sim/placement/slow_parts.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/name_pattern.hpp"
#include "base/options.hpp"

namespace simtrain {
namespace {

// Twelve hosts, host-0 to host-11; six links a-0 ... a-5.
SlowParts found(const std::vector<std::string>& arguments) {
  return find_slow_parts(slow_parts_from(parse_options(arguments, slow_parts_options())),
                         {"p", 12, 6, [](int host) { return "host-" + std::to_string(host); },
                          [](int link) { return "a+ of (" + std::to_string(link) + ",0)"; }});
}

std::string refusal(const std::vector<std::string>& arguments) {
  try {
    (void)found(arguments);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

void expect_refusal(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
  const std::string message = refusal(arguments);
  for (const std::string& part : parts) EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
}

TEST(NamePattern, StarsStandForAnything) {
  EXPECT_TRUE(matches("host-3", "host-3"));
  EXPECT_FALSE(matches("host-3", "host-31"));
  EXPECT_FALSE(matches("host-3", "host-"));
  EXPECT_TRUE(matches("host-3*", "host-3"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("x+ of (3,*,1)", "x+ of (3,12,1)"));
  EXPECT_FALSE(matches("x+ of (3,*,1)", "x+ of (3,12,2)"));
  EXPECT_TRUE(matches("*a*b*c", "aabbabcbc"));  // greedy, and back again
  EXPECT_FALSE(matches("*a*b*c", "aabbabcb"));
  EXPECT_FALSE(matches("", "x"));
}

TEST(SlowParts, PatternsFindTheirParts) {
  using Parts = std::map<int, double>;
  EXPECT_EQ(found({}).hosts, Parts());
  EXPECT_EQ(found({"--slow-host", "host-3=0.5"}).hosts, (Parts{{3, 0.5}}));
  EXPECT_EQ(found({"--slow-host", "host-1*=0.5", "--slow-host", "host-11=0.5"}).hosts,
            (Parts{{1, 0.5}, {10, 0.5}, {11, 0.25}}));  // two patterns: the product
  EXPECT_EQ(found({"--degrade-link", "a+ of (*,0)=0.1"}).links.size(), 6U);
  EXPECT_EQ(found({"--degrade-link", "a+ of (4,0)=1"}).links, (Parts{{4, 1.0}}));
}

TEST(SlowParts, DrawsFollowFromTheSeed) {
  const auto drawn = [](const std::string& seed) {
    return found({"--slow-hosts", "3=0.5", "--slow-seed", seed}).hosts;
  };
  EXPECT_EQ(drawn("1").size(), 3U);
  EXPECT_EQ(drawn("1"), drawn("1"));
  EXPECT_NE(drawn("1"), drawn("2"));
  EXPECT_EQ(found({"--slow-hosts", "12=0.5"}).hosts.size(), 12U);
  EXPECT_EQ(found({"--degrade-links", "2=0.5"}).links.size(), 2U);
  // Each of 12 hosts is among 3 with probability 1/4: 100 of 400 draws, standard deviation 8.7.
  std::map<int, int> counts;
  for (int seed = 0; seed < 400; ++seed)
    for (const auto& [host, factor] : drawn(std::to_string(seed))) ++counts[host];
  for (int host = 0; host < 12; ++host) EXPECT_NEAR(counts[host], 100, 4 * 8.7) << host;
}

TEST(SlowParts, SayWhatTheyAre) {
  const auto options = [](const std::vector<std::string>& arguments) {
    return slow_parts_from(parse_options(arguments, slow_parts_options()));
  };
  EXPECT_FALSE(options({}).any());
  EXPECT_EQ(options({}).description(), "");
  EXPECT_EQ(
      options({"--slow-host", "host-3=0.5", "--degrade-link", "a=0.25", "--slow-hosts", "2=0.125", "--slow-seed", "7"})
          .description(),
      "host-3=0.5, 2 drawn hosts=0.125, link a=0.25 (seed 7)");
}

TEST(SlowParts, WrongInputIsRefused) {
  expect_refusal({"--slow-host", "hots-3=0.5"}, {"--slow-host", "'hots-3'", "platform 'p'", "did you mean 'host-3'"});
  expect_refusal({"--degrade-link", "b+ of (1,0)=0.5"}, {"--degrade-link", "did you mean 'a+ of (1,0)'"});
  expect_refusal({"--slow-host", "host-3"}, {"--slow-host", "'host-3'", "NAME=FACTOR"});
  expect_refusal({"--slow-host", "=0.5"}, {"--slow-host", "'=0.5'"});
  expect_refusal({"--slow-host", "host-3=half"}, {"--slow-host", "half"});
  expect_refusal({"--slow-host", "host-3=0"}, {"--slow-host", "'0'"});
  expect_refusal({"--slow-host", "host-3=2"}, {"--slow-host", "host-3=2", "to 1"});
  expect_refusal({"--slow-hosts", "13=0.5"}, {"--slow-hosts", "13", "12 hosts"});
  expect_refusal({"--slow-hosts", "x=0.5"}, {"--slow-hosts", "'x'"});
  expect_refusal({"--degrade-links", "7=0.5"}, {"--degrade-links", "7", "6 links"});
  expect_refusal({"--slow-seed", "2"}, {"--slow-seed", "without"});
}

}  // namespace
}  // namespace simtrain
