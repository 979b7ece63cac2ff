// Tasks in child processes: what comes back, and what is said of those that never answer.
#include "sim/engine/workers.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <new>

#include "base/error.hpp"

namespace simtrain {
namespace {

TEST(Workers, GiveAnswersErrorsAndDeaths) {
  Workers workers;
  const std::string large(1 << 20, 'x');  // more than a pipe holds
  workers.start(0, [&] { return large; });
  workers.start(1, []() -> std::string { throw InputError("wrong option"); });
  workers.start(2, []() -> std::string { throw Failure("deadlock"); });
  workers.start(3, []() -> std::string {
    ::raise(SIGKILL);
    return "";
  });
  workers.start(4, []() -> std::string { ::_exit(3); });
  workers.start(5, [] { return std::string(); });
  EXPECT_EQ(workers.running(), 6U);
  std::map<std::size_t, TaskOutcome> outcomes;
  while (workers.running() > 0) {
    const TaskOutcome outcome = workers.next_done();
    outcomes[outcome.task] = outcome;
  }
  ASSERT_EQ(outcomes.size(), 6U);
  using Kind = TaskOutcome::Kind;
  const std::vector<std::pair<Kind, std::string>> expected{
      {Kind::answer, large},
      {Kind::input_error, "wrong option"},
      {Kind::failure, "deadlock"},
      {Kind::failure, "the simulation ended without a result: Killed (signal 9)"},
      {Kind::failure, "the simulation ended without a result"},
      {Kind::answer, ""}};
  for (std::size_t task = 0; task < expected.size(); ++task) {
    EXPECT_EQ(outcomes[task].kind, expected[task].first) << task;
    EXPECT_EQ(outcomes[task].text, expected[task].second) << task;
  }
}

TEST(Workers, EndWithTheirOwner) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    Workers workers;
    workers.start(0, [] {
      ::pause();
      return std::string("never");
    });
  }
  ::close(ends[1]);
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0) << "nobody holds the other end any more";
  ::close(ends[0]);
}

// What children that run at the same time take, in memory that they share.
struct Together {
  std::atomic<int> tasks{0}, bytes{0}, too_many{0};
};

// Four bytes and three tasks at a time: what is too large for that runs alone.
TEST(RunTasks, KeepToTheirLimits) {
  void* shared = ::mmap(nullptr, sizeof(Together), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* together = new (shared) Together;
  const std::vector<int> bytes{3, 1, 1, 1, 1, 1, 9, 3, 2, 2, 1, 1};
  std::map<std::size_t, std::string> answers;
  std::size_t next = 0;
  run_tasks(
      {3, 4.0},
      [&]() -> std::optional<NextTask> {
        if (next == bytes.size()) return std::nullopt;
        const NextTask task{next, static_cast<double>(bytes[next])};
        ++next;
        return task;
      },
      [&](std::size_t task) {
        const int mine = bytes[task], all = together->bytes += mine, tasks = ++together->tasks;
        if (tasks > 3 || (all > 4 && all != 9)) ++together->too_many;
        ::usleep(5000);
        --together->tasks;
        together->bytes -= mine;
        return std::to_string(task * task);
      },
      [&](const TaskOutcome& outcome) {
        EXPECT_EQ(outcome.kind, TaskOutcome::Kind::answer);
        answers[outcome.task] = outcome.text;
      });
  EXPECT_EQ(together->too_many, 0);
  ASSERT_EQ(answers.size(), bytes.size());
  for (std::size_t task = 0; task < bytes.size(); ++task) EXPECT_EQ(answers[task], std::to_string(task * task));
  ::munmap(shared, sizeof(Together));
}

}  // namespace
}  // namespace simtrain
