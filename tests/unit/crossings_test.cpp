// Are the values found at which another candidate is the best, against crossings worked out by hand?
#include "sim/prediction/crossings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace simtrain {
namespace {

// Times a + b / value: of two of them the better one changes at (b1 - b0) / (a0 - a1).
struct Candidate {
  double a = 0, b = 0;
};

BestAt best_of(const std::vector<Candidate>& candidates, int& asked) {
  return [&candidates, &asked](const std::vector<double>& values) {
    std::vector<int> best;
    for (const double value : values) {
      ++asked;
      const auto time = [&](const Candidate& one) { return one.a + one.b / value; };
      best.push_back(
          static_cast<int>(std::min_element(candidates.begin(), candidates.end(),
                                            [&](const Candidate& x, const Candidate& y) { return time(x) < time(y); }) -
                           candidates.begin()));
    }
    return best;
  };
}

TEST(Crossings, OneIsFoundWithinTheRatio) {
  // 1 + 20 / v and 3 + 2 / v cross at 18 / 2 = 9.
  const std::vector<Candidate> candidates{{1, 20}, {3, 2}};
  int asked = 0;
  const Crossings found = find_crossings({.least = 0.5, .most = 64}, best_of(candidates, asked));
  ASSERT_EQ(found.crossings.size(), 1U);
  const Crossing& one = found.crossings[0];
  EXPECT_LT(one.below, 9);
  EXPECT_GT(one.above, 9);
  EXPECT_LE(one.above / one.below, 1.01);
  EXPECT_EQ(one.before, 1);
  EXPECT_EQ(one.after, 0);
  EXPECT_TRUE(std::is_sorted(found.values.begin(), found.values.end()));
  EXPECT_LE(asked, 5 + 9);  // the gap of 3.4 is halved in ratio until it is 1.01
}

TEST(Crossings, SeveralAreFoundInOneGap) {
  // The middle one is the best from 4 (16 / 4) to 8: both lie between the same two samples.
  const std::vector<Candidate> candidates{{9, 1}, {5, 17}, {1, 49}};
  int asked = 0;
  const Crossings found = find_crossings({.least = 0.1, .most = 1000, .samples = 3}, best_of(candidates, asked));
  ASSERT_EQ(found.crossings.size(), 2U);
  EXPECT_NEAR(found.crossings[0].below, 4, 0.05);
  EXPECT_NEAR(found.crossings[1].below, 8, 0.1);
  EXPECT_EQ(found.crossings[0].after, 1);
}

TEST(Crossings, NoneWhereOneIsAlwaysTheBest) {
  const std::vector<Candidate> candidates{{1, 1}, {2, 2}};
  int asked = 0;
  const Crossings found = find_crossings({.least = 1, .most = 100}, best_of(candidates, asked));
  EXPECT_TRUE(found.crossings.empty());
  EXPECT_EQ(asked, 5);
}

TEST(Crossings, WholeNumbersEndBesideEachOther) {
  const std::vector<Candidate> candidates{{1, 20}, {3, 2}};
  int asked = 0;
  const Crossings found =
      find_crossings({.least = 1, .most = 64, .ratio = 1, .whole_numbers = true}, best_of(candidates, asked));
  ASSERT_EQ(found.crossings.size(), 1U);
  EXPECT_EQ(found.crossings[0].above - found.crossings[0].below, 1);
  EXPECT_TRUE(found.crossings[0].below == 8 || found.crossings[0].below == 9);
  for (const double value : found.values) EXPECT_EQ(value, std::round(value));
}

}  // namespace
}  // namespace simtrain
