// One line on stderr that is written again and again while someone waits at a terminal; erased at the end.
#pragma once

#include <string_view>

namespace simtrain {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool on_terminal() const { return on_terminal_; }
  // Takes the place of what was shown before; nothing where stderr is no terminal.
  void show(std::string_view text);
  void erase();

 private:
  bool on_terminal_, shown_ = false;
};

}  // namespace simtrain
