// A body run in a forked child process, for code that may abort: SimGrid does so on some wrong platform files.
#pragma once

#include <functional>
#include <string>

namespace simtrain {

struct ChildOutcome {
  bool finished = false;  // the body returned; else a signal or an exit ended the child
  int signal = 0;         // that ended it, or 0
  std::string answer;     // what the body returned
  std::string errors;     // what it wrote to stdout and stderr, which nobody else sees
};

// Must be called while this process has one thread. Throws Failure when no child can be made.
ChildOutcome run_in_child(const std::function<std::string()>& body);

}  // namespace simtrain
