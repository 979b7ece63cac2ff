// Do the shortcuts of merged detail say what the schedule says round by round?
#include "train/merged.hpp"

#include <gtest/gtest.h>

#include <map>

namespace simtrain {
namespace {

constexpr std::array kOperations{CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce};
constexpr std::array kAlgorithms{Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner,
                                 Algorithm::bruck};

void for_each_collective(const std::function<void(CollectiveOp, Algorithm, const Partition&, int me)>& visit) {
  for (const auto operation : kOperations)
    for (const auto algorithm : kAlgorithms)
      for (const Partition& blocks : {Partition{1000, 8}, Partition{1003, 8}, Partition{3, 8}, Partition{50, 7},
                                      Partition{12, 5, 10}, Partition{9, 2}})
        for (int me = 0; me < static_cast<int>(blocks.parts); ++me) visit(operation, algorithm, blocks, me);
}

TEST(Merged, TrafficIsThatOfTheSchedule) {
  for_each_collective([](CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me) {
    for (const std::int64_t longest : {std::int64_t{1} << 28, std::int64_t{20}}) {
      CollectiveTraffic expected;
      for (int i = 0; i < round_count(algorithm, operation, static_cast<int>(blocks.parts)); ++i)
        for (const Segment& segment : round_of(algorithm, operation, blocks, me, i).send.part) {
          expected.bytes_sent += 4 * segment.count;
          for (std::int64_t at = 0; at < segment.count; at += longest) ++expected.messages;
        }
      const CollectiveTraffic found = traffic_of(operation, algorithm, blocks, me, longest);
      EXPECT_EQ(found.bytes_sent, expected.bytes_sent) << name_of(algorithm) << " " << name_of(operation) << " " << me;
      EXPECT_EQ(found.messages, expected.messages) << name_of(algorithm) << " " << name_of(operation) << " " << me;
    }
  });
}

TEST(Merged, AdditionsAreThoseOfTheSchedule) {
  for_each_collective([](CollectiveOp operation, Algorithm algorithm, const Partition& blocks, int me) {
    std::map<std::int64_t, std::int64_t> expected, found;  // times by floats
    for (int i = 0; i < round_count(algorithm, operation, static_cast<int>(blocks.parts)); ++i)
      if (const Round round = round_of(algorithm, operation, blocks, me, i); round.reduce)
        for (const Segment& segment : round.receive.part)
          if (segment.count > 0) ++expected[segment.count];
    for_each_addition(operation, algorithm, blocks, me,
                      [&](std::int64_t floats, std::int64_t times) { found[floats] += times; });
    EXPECT_EQ(found, expected) << name_of(algorithm) << " " << name_of(operation) << " member " << me;
  });
}

// What pairs of rounds promise, for all groups that merge_of names: the same partner, and the blocks back.
TEST(Merged, PairsOfRoundsMirrorEachOther) {
  const Partition blocks{1003, 16};
  ASSERT_EQ(merge_of(CollectiveOp::all_reduce, Algorithm::rabenseifner, blocks), Merge::pairs);
  const int rounds = round_count(Algorithm::rabenseifner, CollectiveOp::all_reduce, 16);
  for (int me = 0; me < 16; ++me)
    for (int i = 0; i < rounds / 2; ++i) {
      const Round first = round_of(Algorithm::rabenseifner, CollectiveOp::all_reduce, blocks, me, i);
      const Round last = round_of(Algorithm::rabenseifner, CollectiveOp::all_reduce, blocks, me, rounds - 1 - i);
      EXPECT_EQ(first.send_to, first.receive_from);
      EXPECT_EQ(last.send_to, first.send_to);
      EXPECT_EQ(last.receive_from, first.receive_from);
      EXPECT_EQ(last.send.count(), first.receive.count());
      EXPECT_EQ(last.receive.count(), first.send.count());
    }
  EXPECT_EQ(merge_of(CollectiveOp::all_reduce, Algorithm::rabenseifner, {1003, 12}), Merge::none);
  EXPECT_EQ(merge_of(CollectiveOp::all_reduce, Algorithm::bruck, blocks), Merge::none);
  EXPECT_EQ(merge_of(CollectiveOp::all_gather, Algorithm::ring, blocks), Merge::ring);
}

}  // namespace
}  // namespace simtrain
