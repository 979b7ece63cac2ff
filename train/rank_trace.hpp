// Notes what ranks do in one timed iteration, for a timeline (report/timeline.hpp). Who is handed a null RankTrace
// notes nothing. No MPI here: the clock is handed in.
//
//   TraceRecorder recorder(plan, {.ranks = {{0, 5}}}, job.iterations, [&] { return simulation.clock_s(); });
//   options.trace = recorder.of_rank(rank);       // of the trainer; null but for ranks 0 and 5
//   ...
//   result.timeline = recorder.finish();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "kernels/kernels.hpp"
#include "report/timeline.hpp"
#include "train/plan.hpp"

namespace simtrain {

struct TimelineRequest {
  std::optional<std::vector<int>> ranks = {};  // by number, each once; none: default_traced_ranks()
  int iteration = 0;                           // of the timed ones, from 1; 0: the last
  bool messages = true;
};

class TraceRecorder;

// Of one rank; may be told by two threads of it. Between begin() and end() of other iterations nothing is noted.
class RankTrace {
 public:
  RankTrace(TraceRecorder& recorder, TimelineRank& into) : recorder_(recorder), into_(into) {}

  // Timed iteration `timed`, from 0; negative: one of the warm-up.
  void begin(std::int64_t timed, double at_s);
  void end(double at_s);

  // The rank's clock. Looking at it takes no simulated time.
  [[nodiscard]] double now_s() const;
  // An operation, when it is over.
  void computed(Account account, Interval when);
  // course: when the rank waited for it. bucket: of the plan, or -1.
  void exchanged(int row, Exchange exchange, Interval when, double bytes_sent, Course course, int bucket = -1);
  // Nothing happens for 0 bytes. Peers from P on are second actors of ranks (sim/engine/progress.hpp): of the
  // background.
  void exchanged(TimelineMessage message);

 private:
  TraceRecorder& recorder_;
  TimelineRank& into_;
  bool active_ = false;
};

// Of a job, or natively of those ranks of it that are asked for.
class TraceRecorder {
 public:
  // `now`: the clock of whichever rank asks. Ranks of the request that the job has not are a mistake of the caller.
  TraceRecorder(const Plan& plan, const TimelineRequest& request, int iterations, std::function<double()> now,
                std::int64_t most_events = Timeline::kMostEvents);
  TraceRecorder(const TraceRecorder&) = delete;
  TraceRecorder& operator=(const TraceRecorder&) = delete;

  [[nodiscard]] RankTrace* of_rank(int rank);
  // When all ranks have ended the iteration. Ranks that are left out are there, without slices.
  [[nodiscard]] Timeline finish() const;

 private:
  friend class RankTrace;
  // What was added to a rank is one event more.
  void count();

  Timeline timeline_;  // times on the ranks' clock
  std::vector<std::unique_ptr<RankTrace>> traces_;
  std::function<double()> now_;
  std::int64_t events_ = 0;
  int ranks_;  // of the job
  bool messages_;
  std::mutex mutex_;
};

// Up to eight: the first ones of the first grid column and of the first grid row, in turns.
std::vector<int> default_traced_ranks(Grid grid);

}  // namespace simtrain
