#include "base/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace simtrain {

ProgressLine::ProgressLine() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(std::string_view text) {
  if (!on_terminal_) return;
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(text.size()), text.data());
  shown_ = true;
}

void ProgressLine::erase() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace simtrain
