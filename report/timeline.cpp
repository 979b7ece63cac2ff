#include "report/timeline.hpp"

namespace simtrain {

std::int64_t keep_within_limit(Timeline& timeline) {
  std::int64_t events = 0;
  for (const TimelineRank& rank : timeline.ranks)
    events += static_cast<std::int64_t>(rank.slices.size() + rank.messages.size());
  for (std::size_t i = timeline.ranks.size(); i-- > 0 && events > timeline.most_events;) {
    TimelineRank& rank = timeline.ranks[i];
    if (rank.messages_left_out) continue;
    events -= static_cast<std::int64_t>(rank.messages.size());
    std::vector<TimelineMessage>().swap(rank.messages);
    rank.messages_left_out = true;
  }
  for (std::size_t i = timeline.ranks.size(); i-- > 1 && events > timeline.most_events;) {
    TimelineRank& rank = timeline.ranks[i];
    events -= static_cast<std::int64_t>(rank.slices.size());
    std::vector<TimelineSlice>().swap(rank.slices);
    rank.left_out = true;
  }
  return events;
}

}  // namespace simtrain
