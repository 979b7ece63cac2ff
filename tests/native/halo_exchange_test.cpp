// Do halo exchanges deliver over real messages what they promise, whole and in pieces? On as many strips as there are
// ranks, with thin strips too, whose halos reach over several neighbours.
#include "train/halo_exchange.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "kernels/blas_kernels.hpp"

namespace simtrain {
namespace {

constexpr std::int64_t kChannels = 2, kBatch = 3, kWidth = 3;
constexpr Account kPacking = 7;
constexpr float kUnknown = -5.0e6F;  // what a rank does not have; sums with it show

// Computes no earlier than when it is waited for, so that a forgotten wait shows.
class LazyKernels final : public Kernels {
 public:
  Buffer allocate(std::int64_t floats) override {
    auto& memory = owned_.emplace_back(static_cast<std::size_t>(floats), kUnknown);
    return {memory.data(), floats, false};
  }
  Event enqueue(const Operation& operation, const Operands& operands, Account account) override {
    EXPECT_EQ(account, kPacking);
    queue_.emplace_back(operation, operands);
    return {++enqueued_};
  }
  void wait(Event event) override {
    for (; done_ < event.ticket; ++done_) {
      execute(queue_.front().first, queue_.front().second);
      queue_.pop_front();
    }
  }
  [[nodiscard]] double busy_s(Account /*account*/) const override { return 0; }
  [[nodiscard]] Interval interval(Account /*account*/) const override { return {}; }
  void reset_accounts() override {}
  void fill(Buffer buffer, const std::function<float(std::int64_t)>& value) override {
    for (std::int64_t i = 0; i < buffer.count; ++i) buffer.data[i] = value(i);
  }
  std::span<const float> read(Buffer buffer) override { return {buffer.data, static_cast<std::size_t>(buffer.count)}; }
  std::span<float> write(Buffer buffer) override { return {buffer.data, static_cast<std::size_t>(buffer.count)}; }
  [[nodiscard]] bool idle() const { return queue_.empty(); }

 private:
  std::deque<std::vector<float>> owned_;
  std::deque<std::pair<Operation, Operands>> queue_;
  std::uint64_t enqueued_ = 0, done_ = 0;
};

struct World {
  int rank = 0, size = 1;
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
};

// Calls visit(value, line) for each float of an array with these lines.
template <typename Visit>
void for_each_float(Buffer array, Lines lines, const Visit& visit) {
  for (std::int64_t i = 0; i < array.count; ++i) visit(array.data[i], lines.first + i / kWidth % lines.count);
}

void exchange_and_check(std::int64_t height, bool gradient, std::int64_t largest_message_bytes) {
  const World world;
  const Grid grid{world.size, 1};
  const Strips image{height, {height, grid.rows}}, seen{height, {height, grid.rows}, 5, 1, 2};
  const Halo halo{{.from = {.grid = grid, .rows = {kChannels, 1}, .strips = image},
                   .to = {.grid = grid, .rows = {kChannels, 1}, .strips = seen},
                   .batch = kBatch,
                   .line_floats = kWidth,
                   .lines = height},
                  gradient};
  LazyKernels kernels;
  const Lines own = image.of(world.rank), extended = seen.of(world.rank);
  const Lines from = gradient ? extended : own, to = gradient ? own : extended;
  const Buffer source = kernels.allocate(kChannels * kBatch * from.count * kWidth);
  const Buffer target = kernels.allocate(kChannels * kBatch * to.count * kWidth);
  const Buffer scratch = kernels.allocate(scratch_floats(halo, world.rank));
  for_each_float(source, from, [&](float& value, std::int64_t line) { value = static_cast<float>(1 + line); });

  HaloExchange exchange(world.rank, largest_message_bytes);
  for (int time = 0; time < 2; ++time) {  // one after the other
    const CollectiveTraffic traffic = exchange.begin(halo, source, target, scratch, kernels, kPacking);
    exchange.end(halo, target, scratch, kernels, kPacking);
    EXPECT_TRUE(kernels.idle());
    std::int64_t floats = 0, messages = 0;
    for_each_leg(halo, world.rank, [&](const HaloLeg& leg) {
      floats += leg.send.floats();
      messages += leg.send_to >= 0 ? 1 : 0;
    });
    EXPECT_EQ(traffic.bytes_sent, 4 * floats);
    EXPECT_GE(traffic.messages * largest_message_bytes, traffic.bytes_sent);
    EXPECT_TRUE(largest_message_bytes < 100 || traffic.messages == messages);
    for_each_float(target, to, [&](float& value, std::int64_t line) {
      int times = 1;
      if (gradient) {
        times = 0;
        for (int strip = 0; strip < grid.rows; ++strip)
          times += line >= seen.of(strip).first && line < seen.of(strip).end() ? 1 : 0;
      }
      ASSERT_EQ(value, static_cast<float>(times) * static_cast<float>(1 + line)) << "line " << line;
    });
  }
}

TEST(HaloExchange, DeliversLinesAndAddsGradients) {
  for (const std::int64_t height : {8, 13, 19})
    for (const bool gradient : {false, true})
      for (const std::int64_t bytes : {kLargestMessageBytes, std::int64_t{20}}) {  // as if a message had five floats
        SCOPED_TRACE(std::to_string(height) + " lines, messages of " + std::to_string(bytes) + " bytes" +
                     (gradient ? ", gradient" : ""));
        exchange_and_check(height, gradient, bytes);
      }
}

}  // namespace
}  // namespace simtrain
