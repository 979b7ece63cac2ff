// Do the collectives deliver, over real messages, what they promise? Every grid of the job's ranks, every algorithm,
// the library's own included, against values worked out directly. The data are small whole numbers: float sums are
// exact.
#include "train/collective.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <deque>
#include <numeric>
#include <string>
#include <vector>

namespace simtrain {
namespace {

using Op = CollectiveOp;
using Scope = Collectives::Scope;

constexpr std::array kAlgorithms{Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner,
                                 Algorithm::bruck, Algorithm::mpi};
constexpr std::array kOperations{Op::all_gather, Op::reduce_scatter, Op::all_reduce};
constexpr Account kReduction = 7;
constexpr float kUnknown = -5.0e6F;  // what a member does not have; sums with it show

// Executes additions, and those no earlier than when they are waited for, so that a forgotten wait shows.
class LazyKernels final : public Kernels {
 public:
  Buffer allocate(std::int64_t floats) override {
    auto& memory = owned_.emplace_back(static_cast<std::size_t>(floats));
    return {memory.data(), floats, false};
  }
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override {
    EXPECT_EQ(std::get<ElementwiseOp>(operation).kind, Elementwise::add);
    EXPECT_EQ(std::get<ElementwiseOp>(operation).count, operands[0].count);
    EXPECT_EQ(operands[0].count, operands[1].count);
    EXPECT_EQ(account, kReduction);
    queue_.push_back(operands);
    return {++enqueued_};
  }
  void wait(Event event) override {
    for (; done_ < event.ticket; ++done_, queue_.pop_front()) {
      const Operands& operands = queue_.front();
      for (std::int64_t i = 0; i < operands[0].count; ++i) operands[1].data[i] += operands[0].data[i];
    }
  }
  [[nodiscard]] double busy_s(Account) const override { return 0; }
  [[nodiscard]] Interval interval(Account) const override { return {}; }
  void reset_accounts() override {}
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override {
    for (std::int64_t i = 0; i < buffer.count; ++i) buffer.data[i] = value(i);
  }
  std::span<const float> read(Buffer buffer) override {
    wait({enqueued_});
    return {buffer.data, static_cast<std::size_t>(buffer.count)};
  }
  std::span<float> write(Buffer buffer) override {
    wait({enqueued_});
    return {buffer.data, static_cast<std::size_t>(buffer.count)};
  }
  [[nodiscard]] bool idle() const { return queue_.empty(); }

 private:
  std::deque<std::vector<float>> owned_;
  std::deque<Operands> queue_;
  std::uint64_t enqueued_ = 0, done_ = 0;
};

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
std::int64_t sum_over_world(std::int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return mine;
}

std::vector<Grid> grids() {
  std::vector<Grid> all;
  for (int rows = 1; rows <= world_size(); ++rows) {
    if (world_size() % rows == 0) all.push_back({rows, world_size() / rows});
  }
  return all;
}

float value_of(int rank, std::int64_t element) { return static_cast<float>((rank + 1) * (element % 31 + 1)); }

bool in_block(const Partition& blocks, int member, std::int64_t element) {
  return element >= blocks.offset(member) && element < blocks.offset(member) + blocks.length(member);
}

struct Case {
  Op operation;
  Algorithm algorithm;
  Scope scope;
  Partition blocks;
};

std::string describe(Grid grid, const Case& c) {
  return to_string(grid) + (c.scope == Scope::grid_column ? " column, " : " row, ") +
         std::string(name_of(c.algorithm)) + " " + std::string(name_of(c.operation)) + " of " +
         std::to_string(c.blocks.total) + " x " + std::to_string(c.blocks.unit) + " floats";
}

// Sum over the members that had the element.
float expected(const Case& c, const Group& group, std::int64_t element) {
  float sum = 0;
  for (int member = 0; member < group.size; ++member) {
    if (c.operation != Op::all_gather || in_block(c.blocks, member, element))
      sum += value_of(group.rank(member), element);
  }
  return sum;
}

// Runs one case on this rank, checks what it leaves in memory, and returns its traffic.
CollectiveTraffic run_and_check(Collectives& collectives, const Group& group, const Case& c) {
  LazyKernels kernels;
  const Buffer data = kernels.allocate(c.blocks.size());
  const Buffer scratch = kernels.allocate(scratch_floats(c.operation, c.algorithm, c.blocks, group.me));
  kernels.fill(data, [&](std::int64_t i) {
    const bool has = c.operation != Op::all_gather || in_block(c.blocks, group.me, i);
    return has ? value_of(group.rank(group.me), i) : kUnknown;
  });
  const auto traffic = collectives.run(c.operation, c.algorithm, c.scope, data, c.blocks, scratch, kernels, kReduction);
  EXPECT_TRUE(kernels.idle());
  for (std::int64_t i = 0; i < c.blocks.size(); ++i) {
    if (c.operation == Op::reduce_scatter && !in_block(c.blocks, group.me, i)) continue;
    EXPECT_EQ(data.data[i], expected(c, group, i)) << "element " << i;
    if (::testing::Test::HasFailure()) break;
  }
  return traffic;
}

// visit(collectives, group, case) for every grid, scope, algorithm, operation and length.
template <typename Visit>
void for_all(std::int64_t largest_message_bytes, const Visit& visit) {
  for (const Grid grid : grids()) {
    const Coordinates me = grid.coordinates(world_rank());
    Collectives collectives(grid, me, true, largest_message_bytes);
    for (const Scope scope : {Scope::grid_column, Scope::grid_row}) {
      const Group group = scope == Scope::grid_column ? column_group(grid, me) : row_group(grid, me);
      for (const Partition& blocks :
           {Partition{0, group.size}, Partition{1, group.size}, Partition{7, group.size}, Partition{64, group.size},
            Partition{1001, group.size}, Partition{3, group.size, 5}}) {
        for (const Op operation : kOperations) {
          for (const Algorithm algorithm : kAlgorithms) {
            const Case c{operation, algorithm, scope, blocks};
            SCOPED_TRACE(describe(grid, c));
            visit(collectives, group, c);
          }
        }
      }
    }
  }
}

TEST(Collective, DeliversAndCountsWhatItSends) {
  for_all(kLargestMessageBytes, [](Collectives& collectives, const Group& group, const Case& c) {
    const CollectiveTraffic traffic = run_and_check(collectives, group, c);
    // Every member of every group lacks p-1 blocks; exchanging whole arrays costs more (unit/schedule has the count).
    const std::int64_t bytes = c.blocks.size() * 4, passes = c.operation == Op::all_reduce ? 2 : 1;
    const std::int64_t least = passes * bytes * (group.size - 1) * world_size() / group.size;
    const bool whole = c.algorithm == Algorithm::recursive_doubling && c.operation == Op::all_reduce;
    if (c.algorithm == Algorithm::mpi) {
      EXPECT_EQ(traffic.bytes_sent, passes * (bytes * (group.size - 1) / group.size));
      EXPECT_EQ(traffic.messages, 0);
    } else if (!whole) {
      EXPECT_EQ(sum_over_world(traffic.bytes_sent), least);
    }
    if (c.algorithm == Algorithm::ring && c.blocks.total >= group.size) {
      EXPECT_EQ(traffic.messages, passes * (group.size - 1));
    }
  });
}

// As if a message could have 20 bytes: five floats. (The library's all-gather then also runs out of displacements.)
TEST(Collective, CutsLongMessages) {
  for_all(20, [](Collectives& collectives, const Group& group, const Case& c) {
    const CollectiveTraffic traffic = run_and_check(collectives, group, c);
    if (c.algorithm == Algorithm::mpi) return;
    EXPECT_GE(traffic.messages * 20, traffic.bytes_sent);
    if (c.algorithm == Algorithm::ring && c.blocks == Partition{64, 4}) {  // 16 floats a block: 5 + 5 + 5 + 1
      EXPECT_EQ(traffic.messages, (c.operation == Op::all_reduce ? 6 : 3) * 4);
    }
  });
}

// Weights are kept alike on many ranks: an all-reduce must round alike on all members.
TEST(Collective, AllMembersGetTheSameBits) {
  const Grid grid{world_size(), 1};
  const Coordinates me = grid.coordinates(world_rank());
  Collectives collectives(grid, me, false);
  const Partition blocks{257, world_size()};
  for (const Algorithm algorithm : kAlgorithms) {
    if (algorithm == Algorithm::mpi) continue;
    SCOPED_TRACE(name_of(algorithm));
    LazyKernels kernels;
    const Buffer data = kernels.allocate(blocks.size());
    const Buffer scratch = kernels.allocate(scratch_floats(Op::all_reduce, algorithm, blocks, me.row));
    kernels.fill(data, [&](std::int64_t i) { return 1.0F / static_cast<float>(3 + i + 1000 * me.row); });
    collectives.run(Op::all_reduce, algorithm, Scope::grid_column, data, blocks, scratch, kernels, kReduction);
    std::vector<float> first(data.data, data.data + data.count);
    MPI_Bcast(first.data(), static_cast<int>(data.count), MPI_FLOAT, 0, MPI_COMM_WORLD);
    for (std::int64_t i = 0; i < data.count; ++i) {
      EXPECT_EQ(data.data[i], first[static_cast<std::size_t>(i)]) << "element " << i;
      double sum = 0;
      for (int row = 0; row < world_size(); ++row) sum += 1.0 / static_cast<double>(3 + i + 1000 * row);
      EXPECT_NEAR(data.data[i], sum, 1e-6 * sum);
    }
  }
}

// scratch_floats is what the rounds need, neither less nor more.
TEST(Collective, ScratchFitsTheLargestArrival) {
  for (int p = 1; p <= 17; ++p) {
    for (const Partition& blocks :
         {Partition{0, p}, Partition{5, p, 2}, Partition{3 * p + 1, p}, Partition{4 * p, p}}) {
      for (const Op operation : kOperations) {
        for (const Algorithm algorithm : kAlgorithms) {
          for (int me = 0; algorithm != Algorithm::mpi && me < p; ++me) {
            std::int64_t most = 0;
            for (int k = 0; k < round_count(algorithm, operation, p); ++k) {
              const Round round = round_of(algorithm, operation, blocks, me, k);
              if (round.reduce) most = std::max(most, round.receive.count());
            }
            ASSERT_EQ(scratch_floats(operation, algorithm, blocks, me), most)
                << name_of(algorithm) << " " << name_of(operation) << ", member " << me << " of " << p;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace simtrain
