// Does a queue on a thread of its own compute what it is told, in order, and tell of it?
#include "kernels/worker_kernels.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace simtrain {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

constexpr std::int64_t kFloats = 1000;

// Additions of x to y, twice as many as the queue is long: y counts them.
TEST(WorkerKernels, ComputesEverythingInOrder) {
  WorkerKernels kernels(now);
  const Buffer x = kernels.allocate(kFloats), y = kernels.allocate(kFloats), z = kernels.allocate(kFloats);
  kernels.fill(x, [](std::int64_t i) { return i % 2 == 0 ? 1.0F : -1.0F; });
  Event last;
  for (int i = 0; i < 512; ++i) last = kernels.enqueue(ElementwiseOp{Elementwise::add, kFloats}, {x, y}, 1);
  last = kernels.enqueue(ElementwiseOp{Elementwise::relu, kFloats}, {y, z}, 2);
  kernels.wait(last);
  EXPECT_TRUE(kernels.done(last));
  for (std::int64_t i = 0; i < kFloats; ++i) {
    EXPECT_EQ(kernels.read(y)[static_cast<std::size_t>(i)], i % 2 == 0 ? 512.0F : -512.0F);
    EXPECT_EQ(kernels.read(z)[static_cast<std::size_t>(i)], i % 2 == 0 ? 512.0F : 0.0F);
  }
}

TEST(WorkerKernels, BooksBothThreads) {
  WorkerKernels kernels(now);
  const Buffer x = kernels.allocate(kFloats), y = kernels.allocate(kFloats), z = kernels.allocate(kFloats);
  const double before = now();
  kernels.enqueue(ElementwiseOp{Elementwise::add, kFloats, 100}, {x, y}, 0);
  kernels.execute_beside(ElementwiseOp{Elementwise::add, kFloats, 100}, {x, z}, 0);
  kernels.execute_beside(ElementwiseOp{Elementwise::add, kFloats, 100}, {x, z}, 1);
  const double both = kernels.busy_s(0), after = now();
  EXPECT_GT(both, 0);
  EXPECT_GT(kernels.busy_s(1), 0);
  EXPECT_EQ(kernels.busy_s(2), 0);
  EXPECT_GE(kernels.interval(0).begin_s, before);
  EXPECT_LE(kernels.interval(0).end_s, after);
  EXPECT_GE(kernels.idle_since(), before);
  EXPECT_LE(kernels.idle_since(), after);
  kernels.reset_accounts();
  EXPECT_EQ(kernels.busy_s(0), 0);
}

// A product too large for the BLAS's integers is refused by the operation, in the other thread.
TEST(WorkerKernels, TellsWhatAnOperationThrew) {
  WorkerKernels kernels(now);
  const Buffer one = kernels.allocate(1);
  const std::int64_t huge = std::int64_t{1} << 40;
  const Buffer claimed{one.data, INT64_MAX, false};
  const Event event = kernels.enqueue(MatrixProduct{Transposition::nn, huge, 1, 1}, {claimed, claimed, claimed}, 0);
  EXPECT_THROW(kernels.wait(event), std::exception);
  EXPECT_THROW(kernels.done(event), std::exception);
}

}  // namespace
}  // namespace simtrain
