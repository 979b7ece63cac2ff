// For LD_PRELOAD: a rank that waits for a message (mpi_yield_when_idle) sleeps a tenth of a millisecond between two looks
// rather than let others go first. Several ranks share a core here, and the scheduler gives one that only yields its turn of
// milliseconds all the same: without this, a message waits for the turns of ranks that wait themselves.
#include <sys/prctl.h>
#include <time.h>

static const long look_ns = 100000, slack_ns = 1000;

__attribute__((constructor)) static void wake_in_time(void) { prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0); }

int sched_yield(void) {
  const struct timespec pause = {0, look_ns};
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, 0);
}
