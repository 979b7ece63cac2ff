// Processes that keep the other cores of a node busy in the same way while this one measures: ranks of one node compute
// the same kernels at the same time, and share its memory bandwidth, its last-level cache and its clock frequency.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace simtrain {

class Companions {
 public:
  // Called by every process at the same places: returns when all have called.
  using Meet = std::function<void()>;

  // Starts `processes` - 1 children, each of which runs `work` with its Meet and then ends. This process and its
  // children are each bound to a core of their own while this object lives. Failure when there are fewer cores.
  Companions(int processes, const std::function<void(const Meet&)>& work);
  // Ends the children, whatever they do.
  ~Companions();
  Companions(const Companions&) = delete;
  Companions& operator=(const Companions&) = delete;

  // This process's part of meeting. Failure when a child has ended.
  void meet();

  // Cores that this process may use.
  static int cores();

 private:
  struct Shared;  // lives in memory that the processes share
  Shared* shared_;
  std::vector<pid_t> children_;
  std::vector<int> cores_;  // that this process might use before
};

}  // namespace simtrain
