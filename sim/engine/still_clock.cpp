// The processor time of the calling thread, as the simulator sees it: it stands still.
//
// SMPI reads it at the begin and end of each of its calls, to charge the job for the time between them, which
// smpi/simulate-computation:no then leaves out: two system calls for nothing, a quarter of the time of a simulation of
// every message on some machines (docs/performance.md). SimGrid 3.32 has no option for that. The function takes the
// place of libc's for the whole program; other clocks go on. No file of ours asks for this one.
#include <dlfcn.h>

#include <cerrno>
#include <ctime>

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (clock == CLOCK_THREAD_CPUTIME_ID) {
    *time = {};
    return 0;
  }
  using Function = int (*)(clockid_t, timespec*);
  static const auto of_libc = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "clock_gettime"));
  if (of_libc != nullptr) return of_libc(clock, time);
  errno = ENOSYS;
  return -1;
}
