#include "report/trace_tracks.hpp"

#include <algorithm>
#include <cmath>

#include "report/result.hpp"

namespace simtrain {

namespace {

constexpr std::int64_t kRounding_ns = 2;

std::int64_t to_ns(double seconds) { return std::llround(seconds * 1e9); }

template <typename Timed>
TrackEvent event_of(const Timed& one, std::size_t index, bool message) {
  // Natively a thread that computes has a clock of its own, which may be off by what MPI's rounds to.
  const std::int64_t begin_ns = std::max<std::int64_t>(0, to_ns(one.begin_s));
  return {begin_ns, std::max(begin_ns, to_ns(one.end_s)), index, message};
}

// Earlier ones first, of those the longer.
void sort(std::vector<TrackEvent>& events) {
  std::stable_sort(events.begin(), events.end(), [](const TrackEvent& a, const TrackEvent& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
}

struct Lane {
  Track track;
  std::vector<std::int64_t> open_ns;  // ends of the events that have begun, the innermost last

  // Puts the event there if it overlaps none in part, nor at all unless it may lie within others.
  bool take(TrackEvent event, bool may_nest) {
    while (!open_ns.empty() && open_ns.back() <= event.begin_ns) open_ns.pop_back();
    while (!open_ns.empty() && open_ns.back() < event.end_ns && open_ns.back() - event.begin_ns <= kRounding_ns) {
      event.begin_ns = open_ns.back();
      event.end_ns = std::max(event.begin_ns, event.end_ns);
      open_ns.pop_back();
    }
    if (!open_ns.empty() && (!may_nest || open_ns.back() < event.end_ns)) return false;
    open_ns.push_back(event.end_ns);
    track.events.push_back(event);
    return true;
  }
};

// On as few tracks as a first fit finds: NAME, NAME 2, ...
void add_tracks(std::vector<Track>& tracks, const std::string& name, std::vector<TrackEvent> events, bool may_nest) {
  sort(events);
  std::vector<Lane> lanes;
  for (const TrackEvent& event : events) {
    if (std::any_of(lanes.begin(), lanes.end(), [&](Lane& lane) { return lane.take(event, may_nest); })) continue;
    lanes.emplace_back();
    lanes.back().track.name = name + (lanes.size() > 1 ? " " + std::to_string(lanes.size()) : "");
    lanes.back().take(event, may_nest);
  }
  for (Lane& lane : lanes) tracks.push_back(std::move(lane.track));
}

// What computes within an exchange belongs to the rank's own thread unless that does something else at the time.
bool free_at(const std::vector<TrackEvent>& own, const TimelineRank& rank, const TrackEvent& event) {
  const auto after = std::upper_bound(own.begin(), own.end(), event.begin_ns + kRounding_ns,
                                      [](std::int64_t at, const TrackEvent& other) { return at < other.begin_ns; });
  if (after != own.end() && after->begin_ns < event.end_ns - kRounding_ns) return false;
  if (after == own.begin()) return true;
  const TrackEvent& before = *(after - 1);
  if (before.end_ns <= event.begin_ns + kRounding_ns) return true;
  const bool computing = computes(static_cast<Phase>(rank.slices[before.index].doing));
  return !computing && before.end_ns >= event.end_ns - kRounding_ns;
}

}  // namespace

std::vector<Track> tracks_of(const TimelineRank& rank) {
  std::vector<TrackEvent> own, beside, within, sends, receives;
  for (std::size_t i = 0; i < rank.slices.size(); ++i) {
    const TimelineSlice& slice = rank.slices[i];
    (slice.doing < 0 ? within : slice.beside ? beside : own).push_back(event_of(slice, i, false));
  }
  for (std::size_t i = 0; i < rank.messages.size(); ++i)
    (rank.messages[i].sent ? sends : receives).push_back(event_of(rank.messages[i], i, true));
  sort(own);
  std::vector<TrackEvent> with_parts = own;
  for (const TrackEvent& event : within) (free_at(own, rank, event) ? with_parts : beside).push_back(event);

  std::vector<Track> tracks;
  const std::string name = "rank " + std::to_string(rank.rank);
  add_tracks(tracks, name + " (row " + std::to_string(rank.row) + ", column " + std::to_string(rank.column) + ")",
             std::move(with_parts), true);
  add_tracks(tracks, name + " beside", std::move(beside), true);
  add_tracks(tracks, name + " sends", std::move(sends), false);
  add_tracks(tracks, name + " receives", std::move(receives), false);
  return tracks;
}

}  // namespace simtrain
