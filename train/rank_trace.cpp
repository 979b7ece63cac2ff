#include "train/rank_trace.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "base/error.hpp"
#include "train/phase_log.hpp"
#include "train/rank_result.hpp"

namespace simtrain {

namespace {

int doing_of(Work work) {
  if (work <= Work::update) return phase_of(work);
  return work == Work::packing ? kPacking : kAdding;
}

}  // namespace

void RankTrace::begin(std::int64_t timed, double at_s) {
  active_ = timed + 1 == recorder_.timeline_.iteration;
  if (active_) into_.begin_s = at_s;
}

void RankTrace::end(double at_s) {
  if (active_) into_.end_s = at_s;
  active_ = false;
}

double RankTrace::now_s() const { return recorder_.now_(); }

void RankTrace::computed(Account account, Interval when) {
  if (!active_ || into_.left_out) return;
  const std::lock_guard lock(recorder_.mutex_);
  const int layer = account / kWorks, doing = doing_of(static_cast<Work>(account % kWorks));
  if (!into_.slices.empty()) {
    TimelineSlice& last = into_.slices.back();
    if (last.layer == layer && last.doing == doing && last.end_s == when.begin_s) {
      last.end_s = when.end_s;
      return;
    }
  }
  into_.slices.push_back({.begin_s = when.begin_s, .end_s = when.end_s, .layer = layer, .doing = doing});
  recorder_.count();
}

void RankTrace::exchanged(int row, Exchange exchange, Interval when, double bytes_sent, Course course, int bucket) {
  if (!active_ || into_.left_out) return;
  const std::lock_guard lock(recorder_.mutex_);
  into_.slices.push_back(
      {when.begin_s, when.end_s, row, phase_of(exchange), bucket, bytes_sent, course != Course::at_once});
  recorder_.count();
}

void RankTrace::exchanged(TimelineMessage message) {
  if (!active_ || !recorder_.messages_ || into_.messages_left_out || message.bytes == 0) return;
  const std::lock_guard lock(recorder_.mutex_);
  if (message.peer >= recorder_.ranks_) {
    message.peer -= recorder_.ranks_;
    message.background = true;
  }
  into_.messages.push_back(message);
  recorder_.count();
}

std::vector<int> default_traced_ranks(Grid grid) {
  constexpr std::size_t kMost = 8;
  std::vector<int> ranks{0};
  for (int i = 1; ranks.size() < kMost && i < std::max(grid.rows, grid.columns); ++i) {
    if (i < grid.rows) ranks.push_back(grid.rank({i, 0}));
    if (i < grid.columns && ranks.size() < kMost) ranks.push_back(grid.rank({0, i}));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

TraceRecorder::TraceRecorder(const Plan& plan, const TimelineRequest& request, int iterations,
                             std::function<double()> now, std::int64_t most_events)
    : now_(std::move(now)), ranks_(static_cast<int>(plan.options.grid.size())), messages_(request.messages) {
  timeline_.iteration = request.iteration > 0 ? request.iteration : iterations;
  timeline_.most_events = most_events;
  for (const Bucket& bucket : plan.buckets) timeline_.buckets.push_back(bucket.rows);
  for (const int rank : request.ranks.value_or(default_traced_ranks(plan.options.grid))) {
    SIMTRAIN_INVARIANT(rank >= 0 && rank < ranks_, std::to_string(rank) + " of " + std::to_string(ranks_));
    const Coordinates at = plan.options.grid.coordinates(rank);
    timeline_.ranks.push_back({.rank = rank, .row = at.row, .column = at.column, .slices = {}, .messages = {}});
  }
  std::sort(timeline_.ranks.begin(), timeline_.ranks.end(),
            [](const TimelineRank& a, const TimelineRank& b) { return a.rank < b.rank; });
  for (TimelineRank& rank : timeline_.ranks) traces_.push_back(std::make_unique<RankTrace>(*this, rank));
}

RankTrace* TraceRecorder::of_rank(int rank) {
  const auto found = std::lower_bound(timeline_.ranks.begin(), timeline_.ranks.end(), rank,
                                      [](const TimelineRank& one, int number) { return one.rank < number; });
  if (found == timeline_.ranks.end() || found->rank != rank) return nullptr;
  return traces_[static_cast<std::size_t>(found - timeline_.ranks.begin())].get();
}

void TraceRecorder::count() {
  if (++events_ > timeline_.most_events) events_ = keep_within_limit(timeline_);
}

Timeline TraceRecorder::finish() const {
  Timeline timeline = timeline_;
  double first_s = std::numeric_limits<double>::max();
  for (const TimelineRank& rank : timeline.ranks) first_s = std::min(first_s, rank.begin_s);
  for (TimelineRank& rank : timeline.ranks) {
    rank.begin_s -= first_s;
    rank.end_s -= first_s;
    for (TimelineSlice& slice : rank.slices) {
      slice.begin_s -= first_s;
      slice.end_s -= first_s;
    }
    for (TimelineMessage& message : rank.messages) {
      message.begin_s -= first_s;
      message.end_s -= first_s;
    }
  }
  return timeline;
}

}  // namespace simtrain
