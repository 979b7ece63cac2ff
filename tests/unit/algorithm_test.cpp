// Names of collective algorithms, the rule of `auto`, and how long messages are cut.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "train/pieces.hpp"
#include "train/schedule.hpp"

namespace simtrain {
namespace {

using Op = CollectiveOp;
constexpr std::int64_t kKiB = 1024;

TEST(Algorithm, NamesAreReadBack) {
  const std::vector<std::string> names{"ring", "recursive-doubling", "rabenseifner", "bruck", "mpi", "auto"};
  for (const std::string& name : names) EXPECT_EQ(name_of(parse_algorithm("--collectives", name)), name);
  EXPECT_EQ(parse_algorithm("--collectives", "bruck"), Algorithm::bruck);
  EXPECT_EQ(parse_algorithm("--collectives", "auto"), Algorithm::automatic);
  EXPECT_EQ(name_of(Op::all_gather), "all-gather");
  EXPECT_EQ(name_of(Op::reduce_scatter), "reduce-scatter");
  EXPECT_EQ(name_of(Op::all_reduce), "all-reduce");
}

TEST(Algorithm, UnknownNameIsRefusedWithTheNearest) {
  for (const auto& [wrong, near] : std::vector<std::pair<std::string, std::string>>{
           {"rign", "ring"}, {"recursive_doubling", "recursive-doubling"}, {"Rabenseifer", "rabenseifner"}}) {
    try {
      parse_algorithm("--collectives", wrong);
      FAIL() << wrong << " was accepted";
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("--collectives"), std::string::npos) << text;
      EXPECT_NE(text.find("'" + wrong + "'"), std::string::npos) << text;
      EXPECT_NE(text.find("did you mean '" + near + "'"), std::string::npos) << text;
    }
  }
  EXPECT_THROW(parse_algorithm("--collectives", ""), InputError);
}

TEST(Automatic, LeavesNamedAlgorithmsAlone) {
  for (const Algorithm named : {Algorithm::ring, Algorithm::bruck, Algorithm::mpi}) {
    EXPECT_EQ(resolve(named, Op::all_reduce, 8, 1 << 30), named);
  }
}

TEST(Automatic, AllReduce) {
  const auto choice = [](int p, std::int64_t bytes) { return resolve(Algorithm::automatic, Op::all_reduce, p, bytes); };
  EXPECT_EQ(choice(8, 2 * kKiB), Algorithm::recursive_doubling);
  EXPECT_EQ(choice(7, 2 * kKiB), Algorithm::recursive_doubling);
  EXPECT_EQ(choice(8, 2 * kKiB + 4), Algorithm::rabenseifner);
  EXPECT_EQ(choice(8, 1 << 30), Algorithm::rabenseifner);
  EXPECT_EQ(choice(7, 2 * kKiB + 4), Algorithm::bruck);
  EXPECT_EQ(choice(7, 7 * 64 * kKiB - 4), Algorithm::bruck);
  EXPECT_EQ(choice(7, 7 * 64 * kKiB), Algorithm::ring);
}

TEST(Automatic, AllGatherAndReduceScatter) {
  for (const Op operation : {Op::all_gather, Op::reduce_scatter}) {
    const auto choice = [&](int p, std::int64_t bytes) { return resolve(Algorithm::automatic, operation, p, bytes); };
    EXPECT_EQ(choice(8, 4), Algorithm::recursive_doubling);
    EXPECT_EQ(choice(8, 512 * kKiB - 4), Algorithm::recursive_doubling);
    EXPECT_EQ(choice(8, 512 * kKiB), Algorithm::ring);
    EXPECT_EQ(choice(12, 512 * kKiB), Algorithm::bruck);
    EXPECT_EQ(choice(12, 12 * 64 * kKiB), Algorithm::ring);
    EXPECT_EQ(choice(4096, 1 << 20), Algorithm::recursive_doubling);
  }
}

// Whatever is chosen has a schedule, also for one member and for nothing to send.
TEST(Automatic, AlwaysChoosesASchedule) {
  for (const Op operation : {Op::all_gather, Op::reduce_scatter, Op::all_reduce}) {
    for (int p = 1; p <= 40; ++p) {
      for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{4}, 10 * kKiB, std::int64_t{1} << 40}) {
        const Algorithm chosen = resolve(Algorithm::automatic, operation, p, bytes);
        EXPECT_NE(chosen, Algorithm::automatic);
        EXPECT_NE(chosen, Algorithm::mpi);
        EXPECT_EQ(round_count(chosen, operation, p) == 0, p == 1);
      }
    }
  }
}

std::vector<std::pair<std::int64_t, std::int64_t>> cut(Segment segment, std::int64_t longest) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pieces;
  for_each_piece(segment, longest, [&](Segment piece) { pieces.emplace_back(piece.offset, piece.count); });
  return pieces;
}

TEST(Pieces, CoverTheSegmentInOrder) {
  using Pieces = std::vector<std::pair<std::int64_t, std::int64_t>>;
  EXPECT_EQ(cut({3, 10}, 4), (Pieces{{3, 4}, {7, 4}, {11, 2}}));
  EXPECT_EQ(cut({0, 8}, 4), (Pieces{{0, 4}, {4, 4}}));
  EXPECT_EQ(cut({5, 4}, 4), (Pieces{{5, 4}}));
  EXPECT_EQ(cut({5, 2}, 1), (Pieces{{5, 1}, {6, 1}}));
  EXPECT_EQ(cut({5, 0}, 4), Pieces{});
  // 3 GiB of floats in messages of at most 1 GiB
  const std::int64_t gib = std::int64_t{1} << 28;
  EXPECT_EQ(cut({1, 3 * gib}, gib), (Pieces{{1, gib}, {1 + gib, gib}, {1 + 2 * gib, gib}}));
}

TEST(Pieces, Overlap) {
  const auto common = [](Segment a, Segment b) { return std::pair(overlap(a, b).offset, overlap(a, b).count); };
  EXPECT_EQ(common({10, 10}, {12, 3}), std::pair(std::int64_t{12}, std::int64_t{3}));
  EXPECT_EQ(common({10, 10}, {5, 7}), std::pair(std::int64_t{10}, std::int64_t{2}));
  EXPECT_EQ(common({10, 10}, {18, 7}), std::pair(std::int64_t{18}, std::int64_t{2}));
  EXPECT_EQ(common({10, 10}, {0, 100}), std::pair(std::int64_t{10}, std::int64_t{10}));
  EXPECT_EQ(overlap({10, 10}, {0, 10}).count, 0);
  EXPECT_EQ(overlap({10, 10}, {20, 5}).count, 0);
  EXPECT_EQ(overlap({10, 10}, {15, 0}).count, 0);
  EXPECT_LE(overlap({10, 10}, {90, 5}).offset, 20);
}

}  // namespace
}  // namespace simtrain
