// Tasks in child processes: what comes back, and what is said of those that never answer.
#include "sim/engine/workers.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <map>

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

}  // namespace
}  // namespace simtrain
