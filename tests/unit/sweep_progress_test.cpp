// What a sweep says of the time that is left.
#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/sweep/progress.hpp"

namespace simtrain {
namespace {

TEST(DurationText, HasTwoUnitsAtMost) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.2), "1 s");
  EXPECT_EQ(duration_text(59), "59 s");
  EXPECT_EQ(duration_text(60), "1 min");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3600), "1 h");
  EXPECT_EQ(duration_text(2 * 3600 + 5 * 60 + 40), "2 h 5 min");
  EXPECT_EQ(duration_text(86'400 + 7200), "1 day 2 h");
  EXPECT_EQ(duration_text(3 * 86'400), "3 days");
}

// Ten units of cost, of which two took some time: the eight left take four times that, on two workers twice. The clock
// gives the pace, and cancels out.
TEST(SweepProgress, ScalesWhatIsLeftByWhatIsDone) {
  SweepProgress one("points", 5, 0, 10, 1, SweepProgress::Log::none),
      two("points", 5, 0, 10, 2, SweepProgress::Log::none);
  EXPECT_FALSE(one.seconds_left()) << "nobody knows before a point is done";
  for (SweepProgress* progress : {&one, &two}) progress->begun(0, 2);
  EXPECT_FALSE(one.seconds_left());
  ::usleep(20'000);
  for (SweepProgress* progress : {&one, &two}) progress->ended(0);
  ASSERT_TRUE(one.seconds_left());
  EXPECT_GE(*one.seconds_left(), 4 * 0.02);
  EXPECT_NEAR(*two.seconds_left() / *one.seconds_left(), 0.5, 0.1);
  const double before = *one.seconds_left();
  one.skipped(4);
  EXPECT_NEAR(*one.seconds_left() / before, 0.5, 1e-9);
  one.skipped(4);
  EXPECT_EQ(*one.seconds_left(), 0);
}

}  // namespace
}  // namespace simtrain
