// How far a calibration is, for people who wait.
#pragma once

#include <string>
#include <utility>

#include "base/progress_line.hpp"

namespace simtrain {

// "calibrate: WHAT: pass 2, 34 %" on a terminal, at most when the number changes.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  void operator()(double fraction, int pass) {
    const int percent = static_cast<int>(100 * fraction);
    if (percent == shown_) return;
    shown_ = percent;
    line_.show("calibrate: " + what_ + ": pass " + std::to_string(pass) + ", " + std::to_string(percent) + " % ");
  }
  void end() { line_.erase(); }

 private:
  ProgressLine line_;
  std::string what_;
  int shown_ = -1;
};

}  // namespace simtrain
