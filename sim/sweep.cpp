#include "sim/sweep.hpp"

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

#include "base/error.hpp"
#include "report/json.hpp"

namespace simtrain {

std::vector<Grid> grids_of(int processes) {
  std::vector<Grid> grids;
  for (int rows = 1; rows <= processes; ++rows)
    if (processes % rows == 0) grids.push_back({rows, processes / rows});
  return grids;
}

namespace {

// A child that simulates one grid and writes to a pipe: 'R' and the result as JSON, 'E' and why the grid cannot be
// simulated, or 'F' and what failed.
struct Worker {
  pid_t process = -1;
  int pipe = -1;
  std::size_t point = 0;
  std::string text;
  int status = 0;  // of waitpid, once it has ended
};

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void work(const Job& job, const PredictionOptions& options, int descriptor) {
  std::string text;
  try {
    text = "R" + to_json(predict(job, options));
  } catch (const InputError& error) {
    text = std::string("E") + error.what();
  } catch (const std::exception& error) {
    text = std::string("F") + error.what();
  }
  write_all(descriptor, text);
  std::_Exit(0);  // the engine's and the parent's static objects are not ours to destroy
}

Worker start(Job job, const PredictionOptions& options, Grid grid, std::size_t point) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Failure(std::string("sweep: no pipe: ") + std::strerror(errno));
  job.plan.grid = grid;
  const pid_t process = ::fork();
  if (process < 0) throw Failure(std::string("sweep: no process could be started: ") + std::strerror(errno));
  if (process == 0) {
    ::close(ends[0]);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends the sweep ends its simulations
    work(job, options, ends[1]);
  }
  ::close(ends[1]);
  return {process, ends[0], point, {}, 0};
}

// Children must not outlive a sweep that fails.
class Workers {
 public:
  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (const Worker& worker : running_) {
      ::kill(worker.process, SIGKILL);
      ::close(worker.pipe);
      ::waitpid(worker.process, nullptr, 0);
    }
  }
  void add(Worker worker) { running_.push_back(std::move(worker)); }
  [[nodiscard]] std::size_t count() const { return running_.size(); }

  // Waits until some worker is done and takes it out.
  Worker next_done() {
    for (;;) {
      std::vector<pollfd> polled;
      for (const Worker& worker : running_) polled.push_back({worker.pipe, POLLIN, 0});
      if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
        throw Failure(std::string("sweep: waiting failed: ") + std::strerror(errno));
      for (std::size_t i = 0; i < running_.size(); ++i)
        if (polled[i].revents != 0 && read_some(running_[i])) return take(i);
    }
  }

 private:
  // True at the end of the worker's output.
  static bool read_some(Worker& worker) {
    char buffer[65536];
    const ssize_t count = ::read(worker.pipe, buffer, sizeof buffer);
    if (count > 0) worker.text.append(buffer, static_cast<std::size_t>(count));
    return count == 0 || (count < 0 && errno != EINTR);
  }

  Worker take(std::size_t i) {
    Worker worker = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    ::close(worker.pipe);
    ::waitpid(worker.process, &worker.status, 0);
    return worker;
  }

  std::vector<Worker> running_;
};

SweepPoint point_of(const Worker& worker, Grid grid) {
  SweepPoint point{grid.rows, grid.columns, {}, {}};
  const char kind = worker.text.empty() ? '\0' : worker.text.front();
  // A result that was cut off by the end of its worker is none.
  if (kind == 'R' && worker.status == 0) {
    point.result = result_from_json("the simulation of " + to_string(grid), worker.text.substr(1));
  } else if (kind == 'E' || kind == 'F') {
    point.error = worker.text.substr(1);
    point.failed = kind == 'F';
  } else {
    point.failed = true;
    point.error = "the simulation ended without a result";
    if (WIFSIGNALED(worker.status))
      point.error += std::string(": ") + ::strsignal(WTERMSIG(worker.status)) + " (signal " +
                     std::to_string(WTERMSIG(worker.status)) + ")";
  }
  return point;
}

}  // namespace

std::vector<SweepPoint> sweep(const Job& job, const PredictionOptions& options, const std::vector<Grid>& grids,
                              int workers, const std::function<void(std::size_t, const SweepPoint&)>& progress) {
  std::vector<SweepPoint> points(grids.size());
  Workers running;
  std::size_t started = 0;
  std::size_t done = 0;
  while (done < grids.size()) {
    while (started < grids.size() && running.count() < static_cast<std::size_t>(workers)) {
      running.add(start(job, options, grids[started], started));
      ++started;
    }
    const Worker worker = running.next_done();
    points[worker.point] = point_of(worker, grids[worker.point]);
    progress(++done, points[worker.point]);
  }
  return points;
}

}  // namespace simtrain
