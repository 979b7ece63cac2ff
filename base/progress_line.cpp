#include "base/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace simtrain {

namespace {

// Bytes of `text` that fit the terminal's line, of which a longer text would fill several, and be written over only in
// the last.
std::size_t fitting(std::string_view text) {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return text.size();
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    const bool starts_character = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts_character && ++characters >= size.ws_col) break;
  }
  return end;
}

}  // namespace

ProgressLine::ProgressLine() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(std::string_view text) {
  if (!on_terminal_) return;
  std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(fitting(text)), text.data());
  shown_ = true;
}

void ProgressLine::erase() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

}  // namespace simtrain
