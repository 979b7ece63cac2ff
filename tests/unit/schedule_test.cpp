// Are the schedules right? All members of a group are executed in memory, for every algorithm, operation and group size
// up to 33, and compared with sums and copies worked out directly.
#include "train/schedule.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"

namespace simtrain {
namespace {

using Op = CollectiveOp;
using Array = std::vector<std::int64_t>;

constexpr std::array kSchedules{Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner,
                                Algorithm::bruck};
constexpr std::array kOperations{Op::all_gather, Op::reduce_scatter, Op::all_reduce};
constexpr int kLargestGroup = 33;
constexpr std::int64_t kUnknown = -1'000'000'007;  // what a member does not have; sums with it show

// Even, uneven, with empty blocks, nothing at all, and in units of more than one element.
std::vector<Partition> partitions(std::int64_t p) {
  return {{4 * p, p}, {3 * p + p / 2 + 1, p}, {p - 1, p}, {p / 3, p}, {1, p}, {0, p}, {2 * p + 1, p, 5}, {p / 2, p, 3}};
}

// A value that tells member and element apart in every sum of up to 33 of them.
std::int64_t value_of(int member, std::int64_t element) { return (member + 1) * (1000 + 7 * element) + element % 5; }

bool in_block(const Partition& blocks, int member, std::int64_t element) {
  return element >= blocks.offset(member) && element < blocks.offset(member) + blocks.length(member);
}

struct Totals {
  std::int64_t rounds = 0;
  std::vector<std::int64_t> sent;  // elements, by member
};

// A whole group in memory, in lock-step.
class Machine {
 public:
  Machine(Algorithm algorithm, Op operation, const Partition& blocks)
      : algorithm_(algorithm), operation_(operation), blocks_(blocks), size_(static_cast<int>(blocks.parts)) {
    for (int member = 0; member < size_; ++member) {
      Array array(static_cast<std::size_t>(blocks.size()));
      for (std::int64_t i = 0; i < blocks.size(); ++i) {
        const bool has = operation != Op::all_gather || in_block(blocks, member, i);
        array[static_cast<std::size_t>(i)] = has ? value_of(member, i) : kUnknown;
      }
      arrays_.push_back(array);
    }
  }

  Totals run() {
    Totals totals{round_count(algorithm_, operation_, size_), std::vector<std::int64_t>(arrays_.size())};
    for (int k = 0; k < totals.rounds; ++k) {
      std::vector<Round> rounds;
      for (int me = 0; me < size_; ++me) rounds.push_back(round_of(algorithm_, operation_, blocks_, me, k));
      for (int me = 0; me < size_; ++me) check_sides(rounds, me);
      if (::testing::Test::HasFatalFailure()) break;
      deliver(rounds, totals);
    }
    return totals;
  }

  void check_result() const {
    for (int me = 0; me < size_; ++me) {
      for (std::int64_t i = 0; i < blocks_.size(); ++i) {
        if (operation_ == Op::reduce_scatter && !in_block(blocks_, me, i)) continue;
        ASSERT_EQ(arrays_[static_cast<std::size_t>(me)][static_cast<std::size_t>(i)], expected(i))
            << "member " << me << ", element " << i;
      }
    }
  }

 private:
  [[nodiscard]] std::int64_t expected(std::int64_t element) const {
    std::int64_t sum = 0;
    for (int member = 0; member < size_; ++member) {
      if (operation_ != Op::all_gather || in_block(blocks_, member, element)) sum += value_of(member, element);
    }
    return sum;
  }

  void check_segment(const Segment& segment) const {
    ASSERT_GE(segment.count, 0);
    ASSERT_GE(segment.offset, 0);
    ASSERT_LE(segment.offset + segment.count, blocks_.size());
  }

  // Both ends name each other and the same segments; nobody talks to itself; empty sides have no peer.
  void check_sides(const std::vector<Round>& rounds, int me) const {
    const Round& mine = rounds[static_cast<std::size_t>(me)];
    ASSERT_NE(mine.send_to, me);
    ASSERT_NE(mine.receive_from, me);
    ASSERT_EQ(mine.send_to < 0, mine.send.count() == 0);
    ASSERT_EQ(mine.receive_from < 0, mine.receive.count() == 0);
    for (const Segment& sent : mine.send.part) {
      check_segment(sent);
      for (const Segment& received : mine.receive.part) {
        check_segment(received);
        if (mine.reduce || sent.count == 0 || received.count == 0) continue;
        ASSERT_TRUE(sent.offset + sent.count <= received.offset || received.offset + received.count <= sent.offset);
      }
    }
    if (mine.send_to >= 0) {
      ASSERT_LT(mine.send_to, size_);
      ASSERT_EQ(rounds[static_cast<std::size_t>(mine.send_to)].receive_from, me);
    }
    if (mine.receive_from < 0) return;
    ASSERT_LT(mine.receive_from, size_);
    const Round& theirs = rounds[static_cast<std::size_t>(mine.receive_from)];
    ASSERT_EQ(theirs.send_to, me);
    for (std::size_t part = 0; part < 2; ++part) {
      ASSERT_EQ(theirs.send.part[part].offset, mine.receive.part[part].offset);
      ASSERT_EQ(theirs.send.part[part].count, mine.receive.part[part].count);
    }
  }

  void deliver(const std::vector<Round>& rounds, Totals& totals) {
    const std::vector<Array> before = arrays_;
    for (std::size_t me = 0; me < arrays_.size(); ++me) {
      totals.sent[me] += rounds[me].send.count();
      if (rounds[me].receive_from < 0) continue;
      const Array& source = before[static_cast<std::size_t>(rounds[me].receive_from)];
      for (const Segment& segment : rounds[me].receive.part) {
        for (std::int64_t i = segment.offset; i < segment.offset + segment.count; ++i) {
          const auto at = static_cast<std::size_t>(i);
          arrays_[me][at] = source[at] + (rounds[me].reduce ? arrays_[me][at] : 0);
        }
      }
    }
  }

  Algorithm algorithm_;
  Op operation_;
  Partition blocks_;
  int size_;
  std::vector<Array> arrays_;
};

std::string describe(Algorithm algorithm, Op operation, const Partition& blocks) {
  return std::string(name_of(algorithm)) + " " + std::string(name_of(operation)) + ", " + std::to_string(blocks.parts) +
         " members, " + std::to_string(blocks.total) + " x " + std::to_string(blocks.unit) + " elements";
}

// visit(algorithm, operation, blocks) for everything that is tried.
template <typename Visit>
void for_all(const Visit& visit) {
  for (const Algorithm algorithm : kSchedules) {
    for (const Op operation : kOperations) {
      for (int p = 1; p <= kLargestGroup; ++p) {
        for (const Partition& blocks : partitions(p)) {
          SCOPED_TRACE(describe(algorithm, operation, blocks));
          visit(algorithm, operation, blocks);
          if (::testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

// Logarithms by counting, not by bits.
int floor_log(int p) {
  int log = 0;
  for (int power = 2; power <= p; power *= 2) ++log;
  return log;
}
int ceil_log(int p) {
  int log = 0;
  for (int power = 1; power < p; power *= 2) ++log;
  return log;
}
bool is_power_of_two(int p) { return floor_log(p) == ceil_log(p); }

bool is_doubling_all_reduce(Algorithm algorithm, Op operation) {
  return algorithm == Algorithm::recursive_doubling && operation == Op::all_reduce;
}

TEST(Schedule, ComputesSumsAndCopies) {
  for_all([](Algorithm algorithm, Op operation, const Partition& blocks) {
    Machine machine(algorithm, operation, blocks);
    machine.run();
    if (!::testing::Test::HasFatalFailure()) machine.check_result();
  });
}

// Each of the p members lacks all blocks but its own (all-gather), or each of the p partial sums of a block but one
// must be brought to another member (reduce-scatter): n(p-1) elements in all, whatever the blocks. With q members, a
// power of two, exchanging the whole array log q times, and p-q handing theirs in and getting the result: n(q log q +
// 2(p-q)).
TEST(Schedule, AllMembersTogetherSendWhatIsNeeded) {
  for_all([](Algorithm algorithm, Op operation, const Partition& blocks) {
    const int p = static_cast<int>(blocks.parts);
    const std::int64_t n = blocks.size(), q = std::int64_t{1} << floor_log(p);
    std::int64_t expected = n * (p - 1) * (operation == Op::all_reduce ? 2 : 1);
    if (is_doubling_all_reduce(algorithm, operation)) expected = n * (q * floor_log(p) + 2 * (p - q));
    std::int64_t sent = 0;
    for (const std::int64_t by_member : Machine(algorithm, operation, blocks).run().sent) sent += by_member;
    ASSERT_EQ(sent, expected);
  });
}

// Thakur, Rabenseifner, Gropp 2005, sections 4.1 to 4.4; for the recursive ones outside powers of two, floor(log p)
// rounds and one before and after.
TEST(Schedule, TakesAsManyRoundsAsTheTextbookSays) {
  for_all([](Algorithm algorithm, Op operation, const Partition& blocks) {
    const int p = static_cast<int>(blocks.parts);
    int once = is_power_of_two(p) ? floor_log(p) : floor_log(p) + 2;
    if (algorithm == Algorithm::ring) once = p - 1;
    if (algorithm == Algorithm::bruck) once = ceil_log(p);
    const bool twice = operation == Op::all_reduce && algorithm != Algorithm::recursive_doubling;
    ASSERT_EQ(round_count(algorithm, operation, p), twice ? 2 * once : once);
  });
}

// n(p-1)/p per member and pass: for any p by ring and Bruck, for powers of two by the recursive ones.
TEST(Schedule, EveryMemberSendsAsMuchAsTheTextbookSays) {
  for_all([](Algorithm algorithm, Op operation, const Partition& blocks) {
    const int p = static_cast<int>(blocks.parts);
    const bool any_size = algorithm == Algorithm::ring || algorithm == Algorithm::bruck;
    if (blocks.total % p != 0 || !(any_size || is_power_of_two(p))) return;
    const std::int64_t n = blocks.size();
    std::int64_t expected = n / p * (p - 1) * (operation == Op::all_reduce ? 2 : 1);
    if (is_doubling_all_reduce(algorithm, operation)) expected = n * floor_log(p);
    for (const std::int64_t sent : Machine(algorithm, operation, blocks).run().sent) ASSERT_EQ(sent, expected);
  });
}

// Outside powers of two: a reduce-scatter sends no block twice. In an all-gather the member that acts for a pair sends,
// at distances 1, 2, ..., q/2, at most twice as many blocks, and at last p-1 to its partner. The doubling all-reduce of
// such a member exchanges the array log q times and hands it on once.
TEST(Schedule, FoldingCostsABoundedNumberOfBytes) {
  for_all([](Algorithm algorithm, Op operation, const Partition& blocks) {
    const int p = static_cast<int>(blocks.parts);
    if (blocks.total % p != 0 || is_power_of_two(p)) return;
    const std::int64_t n = blocks.size(), q = std::int64_t{1} << floor_log(p);
    const std::int64_t scatter = n / p * (p - 1), gather = n / p * (2 * (q - 1) + p - 1);
    std::int64_t most = (operation == Op::all_gather ? 0 : scatter) + (operation == Op::reduce_scatter ? 0 : gather);
    if (is_doubling_all_reduce(algorithm, operation)) most = n * (floor_log(p) + 1);
    for (const std::int64_t sent : Machine(algorithm, operation, blocks).run().sent) ASSERT_LE(sent, most);
  });
}

TEST(Schedule, WorksForTheLargestGroups) {
  const int p = 1 << 20;
  const Partition blocks{std::int64_t{3} << 40, p};
  for (const Algorithm algorithm : kSchedules) {
    for (const int me : {0, 1, p / 2, p - 1}) {
      const int last = round_count(algorithm, Op::all_reduce, p) - 1;
      const Round round = round_of(algorithm, Op::all_reduce, blocks, me, last);
      ASSERT_GE(round.receive_from, 0);
      const Round theirs = round_of(algorithm, Op::all_reduce, blocks, round.receive_from, last);
      EXPECT_EQ(theirs.send_to, me);
      EXPECT_EQ(theirs.send.count(), round.receive.count());
      EXPECT_GT(round.receive.count(), 0);
    }
  }
}

}  // namespace
}  // namespace simtrain
