// Ctrl-C (SIGINT) and SIGTERM set a flag while an InterruptWatch lives, instead of ending the program.
#pragma once

#include <csignal>

namespace simtrain {

class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // Since the last one was made.
  static bool interrupted();

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace simtrain
