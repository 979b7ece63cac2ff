// How far a calibration is, for people who wait.
#pragma once

#include <unistd.h>

#include <cstdio>

namespace simtrain {

// "\rcalibrate: pass 2, 34 %" on a terminal, at most when the number changes.
class Progress {
 public:
  void operator()(double fraction, int pass) {
    const int percent = static_cast<int>(100 * fraction);
    if (!terminal_ || percent == shown_) return;
    shown_ = percent;
    std::fprintf(stderr, "\rcalibrate: pass %d, %d %% ", pass, percent);
  }
  void end() const {
    if (shown_ >= 0) std::fprintf(stderr, "\r%40s\r", "");
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
  int shown_ = -1;
};

}  // namespace simtrain
