// How far a sweep is, and when it may be done: on a terminal one line that changes, else a line for each point, on
// stderr, since stdout holds the table.
//
// The time left is what the points that are left are thought to cost (PointOutlook), in the measure of what the points
// that are done have really taken. Nothing is said before the first one is done.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/progress_line.hpp"

namespace simtrain {

class SweepProgress {
 public:
  enum class Log { every, none };  // lines where stderr is no terminal
  // total: points or replicas, of which `known` need not be simulated; costs: of the others.
  SweepProgress(const char* things, std::size_t total, std::size_t known, double costs, int workers, Log log);

  void begun(std::size_t task, double cost);
  // Of a task that had begun.
  void ended(std::size_t task);
  // One that will not be simulated after all.
  void skipped(double cost);

  // After ended() or skipped(): shows the state. `last`: what became of the last one, for the line of a log.
  // `best`: the best so far.
  void show(const std::string& last, const std::string& best);

  [[nodiscard]] std::optional<double> seconds_left() const;  // none: nobody knows

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {
    Clock::time_point since;
    double cost = 0;
  };
  const char* things_;
  std::size_t total_, done_;
  double costs_left_;  // of what has not begun
  int workers_;
  Log log_;
  double costs_ended_ = 0, seconds_ended_ = 0;
  std::map<std::size_t, Running> running_;
  ProgressLine line_;
};

// "8 s", "3 min 20 s", "2 h 5 min", "4 days 3 h".
std::string duration_text(double seconds);

}  // namespace simtrain
