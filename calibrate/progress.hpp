// How far a calibration is, for people who wait.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace simtrain {

// "\rcalibrate: WHAT: pass 2, 34 %" on a terminal, at most when the number changes.
class Progress {
 public:
  explicit Progress(std::string what) : what_(std::move(what)) {}
  void operator()(double fraction, int pass) {
    const int percent = static_cast<int>(100 * fraction);
    if (!terminal_ || percent == shown_) return;
    shown_ = percent;
    std::fprintf(stderr, "\rcalibrate: %s: pass %d, %d %% ", what_.c_str(), pass, percent);
  }
  void end() const {
    if (shown_ >= 0) std::fprintf(stderr, "\r%60s\r", "");
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  std::string what_;
  int shown_ = -1;
};

}  // namespace simtrain
