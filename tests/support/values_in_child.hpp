// Figures that a simulation in a child process comes to, so that the test can print and compare them: a process can
// hold one Simulation only.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "sim/engine/child.hpp"

namespace simtrain {

// Empty, with a failure of the test, when `body` throws, crashes or prints.
inline std::vector<double> values_in_child(const std::function<std::vector<double>()>& body) {
  const ChildOutcome outcome = run_in_child([&] {
    std::string text;
    for (const double value : body()) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.17g ", value);
      text += digits;
    }
    return text;
  });
  EXPECT_TRUE(outcome.finished) << "signal " << outcome.signal;
  EXPECT_EQ(outcome.errors, "");
  std::vector<double> values;
  std::istringstream in(outcome.answer);
  for (double value = 0; in >> value;) values.push_back(value);
  return values;
}

// Prints both and holds them together.
inline void expect_ratio_near_one(const std::string& what, double expected, double found, double tolerance) {
  std::printf("  %-52s expected %.9f s, simulated %.9f s\n", what.c_str(), expected, found);
  EXPECT_NEAR(found / expected, 1, tolerance) << what;
}

}  // namespace simtrain
