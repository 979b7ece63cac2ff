// A process can hold one Simulation only, so every test that simulates does it in a child process of its own.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "sim/engine/child.hpp"

namespace simtrain {

// Assertions of `body` count. A body that throws, crashes, or prints anything (SimGrid likes to) fails the test.
inline void in_child(const std::function<void()>& body) {
  const ChildOutcome outcome = run_in_child([&] {
    body();
    return ::testing::Test::HasFailure() ? "failed" : "passed";
  });
  EXPECT_EQ(outcome.answer, "passed") << "signal " << outcome.signal;
  EXPECT_EQ(outcome.errors, "");
}

}  // namespace simtrain
