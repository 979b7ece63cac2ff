#include "calibrate/companions.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "base/error.hpp"

namespace simtrain {

struct Companions::Shared {
  explicit Shared(int all) : processes(all) {}
  const int processes;
  std::atomic<int> arrived{0}, meetings{0};
};

namespace {

std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

void bind_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

// Waiting must not disturb what the others measure, and nothing is to be measured before all are there: it spins, and
// lets others run now and then. `broken()` is asked once in a while.
template <typename Shared, typename Broken>
void meet_at(Shared& shared, const Broken& broken) {
  const int meeting = shared.meetings.load();
  if (shared.arrived.fetch_add(1) + 1 == shared.processes) {
    shared.arrived.store(0);
    shared.meetings.fetch_add(1);
    return;
  }
  for (long spins = 1; shared.meetings.load() == meeting; ++spins) {
    if (spins % 1024 != 0) continue;
    ::sched_yield();
    if (spins % (1 << 20) == 0) broken();
  }
}

}  // namespace

int Companions::cores() { return static_cast<int>(allowed_cores().size()); }

Companions::Companions(int processes, const std::function<void(const Meet&)>& work) : cores_(allowed_cores()) {
  if (static_cast<int>(cores_.size()) < processes)
    throw Failure(std::to_string(processes) + " processes at once need as many cores; there are " +
                  std::to_string(cores_.size()));
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Failure(std::string("no shared memory: ") + std::strerror(errno));
  shared_ = new (memory) Shared(processes);
  for (int i = 1; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child < 0) throw Failure(std::string("no process could be started: ") + std::strerror(errno));
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      bind_to({cores_[static_cast<std::size_t>(i)]});
      try {
        work([this] { meet_at(*shared_, [] {}); });
      } catch (...) {
        std::_Exit(1);
      }
      std::_Exit(0);
    }
    children_.push_back(child);
  }
  bind_to({cores_.front()});
}

Companions::~Companions() {
  for (const pid_t child : children_) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  bind_to(cores_);
  ::munmap(shared_, sizeof(Shared));
}

void Companions::meet() {
  meet_at(*shared_, [this] {
    for (const pid_t child : children_)
      if (siginfo_t info{};
          ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
        throw Failure("a process that measured at the same time has ended");
  });
}

}  // namespace simtrain
