// Tasks in child processes, several at a time: SimGrid's engine is one per process, and a simulation uses one core.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace simtrain {

struct TaskOutcome {
  enum class Kind { answer, input_error, failure };
  std::size_t task = 0;
  Kind kind = Kind::failure;
  std::string text;  // the answer, or what is wrong; also when the child was killed
};

// Children end with this object: when something else fails, and when this process dies.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  // Runs `work` in a child of its own; exceptions become an outcome. Must be called while this process has one thread.
  // Failure when no child can be made.
  void start(std::size_t task, const std::function<std::string()>& work);
  [[nodiscard]] std::size_t running() const { return running_.size(); }
  // Waits until one is done. Precondition: running() > 0.
  TaskOutcome next_done();

 private:
  struct Worker {
    pid_t process = -1;
    int pipe = -1;
    std::size_t task = 0;
    std::string text;  // so far: a letter for the kind, then the text
  };
  static bool read_some(Worker& worker);
  TaskOutcome take(std::size_t i);

  std::vector<Worker> running_;
};

// What runs at a time: so many tasks at most, and none that does not fit into the memory beside the others, but one.
struct TaskLimits {
  int workers = 1;
  std::optional<double> memory_bytes{};  // none: unlimited
};
struct NextTask {
  std::size_t number = 0;
  double memory_bytes = 0;
};

// Runs every task that `next` hands out, in that order, work(number) in a child each, and calls done(outcome) in the
// order in which they end. `next` is asked when there is room for one more, and no more once it says none.
void run_tasks(const TaskLimits& limits, const std::function<std::optional<NextTask>()>& next,
               const std::function<std::string(std::size_t)>& work,
               const std::function<void(const TaskOutcome&)>& done);

// Tasks 0 ... count - 1.
void run_tasks(const TaskLimits& limits, std::size_t count, const std::function<std::string(std::size_t)>& work,
               const std::function<void(const TaskOutcome&)>& done);
// The outcomes of tasks 0 ... count - 1, in their order, so many at a time; 0: one per core.
std::vector<TaskOutcome> run_all(std::size_t count, int at_a_time, const std::function<std::string(std::size_t)>& work);

}  // namespace simtrain
