#include "sim/engine/workers.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr char kAnswer = 'A', kInputError = 'I', kFailure = 'F';

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void be_the_worker(const std::function<std::string()>& work, int descriptor) {
  std::string text;
  try {
    text = kAnswer + work();
  } catch (const InputError& error) {
    text = kInputError + std::string(error.what());
  } catch (const std::exception& error) {
    text = kFailure + std::string(error.what());
  }
  write_all(descriptor, text);
  std::_Exit(0);  // the engine's and the parent's static objects are not ours to destroy
}

}  // namespace

Workers::~Workers() {
  for (const Worker& worker : running_) {
    ::kill(worker.process, SIGKILL);
    ::close(worker.pipe);
    ::waitpid(worker.process, nullptr, 0);
  }
}

void Workers::start(std::size_t task, const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(std::string("no pipe to a child process: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  const pid_t process = ::fork();
  if (process < 0) {
    const int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    throw Failure(std::string("no child process could be started: ") + std::strerror(reason));
  }
  if (process == 0) {
    ::close(ends[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) std::_Exit(1);  // it died before that
    be_the_worker(work, ends[1]);
  }
  ::close(ends[1]);
  running_.push_back({process, ends[0], task, {}});
}

TaskOutcome Workers::next_done() {
  SIMTRAIN_INVARIANT(!running_.empty(), "no worker to wait for");
  for (;;) {
    std::vector<pollfd> polled;
    for (const Worker& worker : running_) polled.push_back({worker.pipe, POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw Failure(std::string("waiting for child processes failed: ") + std::strerror(errno));
    }
    for (std::size_t i = 0; i < running_.size(); ++i)
      if (polled[i].revents != 0 && read_some(running_[i])) return take(i);
  }
}

// True at the end of the worker's output.
bool Workers::read_some(Worker& worker) {
  char buffer[65536];
  const ssize_t count = ::read(worker.pipe, buffer, sizeof buffer);
  if (count > 0) worker.text.append(buffer, static_cast<std::size_t>(count));
  return count == 0 || (count < 0 && errno != EINTR);
}

TaskOutcome Workers::take(std::size_t i) {
  const Worker worker = std::move(running_[i]);
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  ::close(worker.pipe);
  int status = 0;
  ::waitpid(worker.process, &status, 0);
  const char kind = worker.text.empty() ? '\0' : worker.text.front();
  // An answer that was cut off by the end of its worker is none.
  if (kind != '\0' && status == 0)
    return {worker.task,
            kind == kAnswer       ? TaskOutcome::Kind::answer
            : kind == kInputError ? TaskOutcome::Kind::input_error
                                  : TaskOutcome::Kind::failure,
            worker.text.substr(1)};
  std::string why = "the simulation ended without a result";
  if (WIFSIGNALED(status))
    why += std::string(": ") + ::strsignal(WTERMSIG(status)) + " (signal " + std::to_string(WTERMSIG(status)) + ")";
  return {worker.task, TaskOutcome::Kind::failure, why};
}

void run_tasks(const TaskLimits& limits, const std::function<std::optional<NextTask>()>& next,
               const std::function<std::string(std::size_t)>& work,
               const std::function<void(const TaskOutcome&)>& done) {
  Workers running;
  std::map<std::size_t, double> bytes_of;  // of those that run
  double bytes = 0;
  std::optional<NextTask> waiting;
  bool more = true;
  const auto has_room = [&] {
    return running.running() == 0 || (running.running() < static_cast<std::size_t>(limits.workers) &&
                                      (!limits.memory_bytes || bytes + waiting->memory_bytes <= *limits.memory_bytes));
  };
  for (;;) {
    while (more && running.running() < static_cast<std::size_t>(limits.workers)) {
      if (!waiting) waiting = next();
      more = waiting.has_value();
      if (!more || !has_room()) break;
      const std::size_t number = waiting->number;
      running.start(number, [&] { return work(number); });
      bytes += bytes_of[number] = waiting->memory_bytes;
      waiting.reset();
    }
    if (running.running() == 0) return;
    const TaskOutcome outcome = running.next_done();
    bytes -= bytes_of[outcome.task];
    bytes_of.erase(outcome.task);
    done(outcome);
  }
}

void run_tasks(const TaskLimits& limits, std::size_t count, const std::function<std::string(std::size_t)>& work,
               const std::function<void(const TaskOutcome&)>& done) {
  std::size_t next = 0;
  run_tasks(
      limits,
      [&] {
        return next < count ? std::optional(NextTask{next++, 0}) : std::nullopt;
      },
      work, done);
}

std::vector<TaskOutcome> run_all(std::size_t count, int at_a_time,
                                 const std::function<std::string(std::size_t)>& work) {
  const int most = at_a_time > 0 ? at_a_time : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<TaskOutcome> outcomes(count);
  run_tasks({most, {}}, count, work, [&](const TaskOutcome& outcome) { outcomes[outcome.task] = outcome; });
  return outcomes;
}

}  // namespace simtrain
