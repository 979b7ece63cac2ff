// Do tracks hold each slice once, in order, and does the limit leave out what it says?
#include "report/trace.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "report/trace_tracks.hpp"
#include "tests/support/small_networks.hpp"
#include "train/rank_result.hpp"
#include "train/rank_trace.hpp"
#include "train/trace_options.hpp"

namespace simtrain {
namespace {

constexpr int kForward = static_cast<int>(Phase::forward), kReduceWeights = static_cast<int>(Phase::reduce_weights);

TimelineSlice slice(double begin_us, double end_us, int doing, bool beside = false) {
  return {begin_us * 1e-6, end_us * 1e-6, 0, doing, -1, 0, beside};
}

std::vector<std::size_t> indices(const Track& track) {
  std::vector<std::size_t> indices;
  for (const TrackEvent& event : track.events) indices.push_back(event.index);
  return indices;
}

using Indices = std::vector<std::size_t>;

TEST(Tracks, AdditionsLieWithinTheirExchange) {
  TimelineRank rank;
  rank.slices = {slice(0, 10, kForward), slice(12, 14, kAdding), slice(10, 20, kReduceWeights),
                 slice(20, 30, kForward)};
  const std::vector<Track> tracks = tracks_of(rank);
  ASSERT_EQ(tracks.size(), 1U);
  EXPECT_EQ(tracks[0].name, "rank 0 (row 0, column 0)");
  EXPECT_EQ(indices(tracks[0]), (Indices{0, 2, 1, 3}));
}

// An addition while the rank computes is another core's, as is what it belongs to.
TEST(Tracks, WhatRunsBesideComputingHasATrackOfItsOwn) {
  TimelineRank rank;
  rank.slices = {slice(0, 10, kForward), slice(5, 7, kAdding), slice(4, 12, kReduceWeights, true),
                 slice(10, 20, kForward)};
  const std::vector<Track> tracks = tracks_of(rank);
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(indices(tracks[0]), (Indices{0, 3}));
  EXPECT_EQ(tracks[1].name, "rank 0 beside");
  EXPECT_EQ(indices(tracks[1]), (Indices{2, 1}));
}

TEST(Tracks, SlicesThatOverlapInPartAreOnTwo) {
  TimelineRank rank;
  rank.slices = {slice(0, 10, kReduceWeights, true), slice(5, 15, kReduceWeights, true),
                 slice(10, 12, kReduceWeights, true)};
  const std::vector<Track> tracks = tracks_of(rank);
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(indices(tracks[0]), (Indices{0, 2}));
  EXPECT_EQ(tracks[1].name, "rank 0 beside 2");
  EXPECT_EQ(indices(tracks[1]), Indices{1});
}

TEST(Tracks, MessagesAtTheSameTimeAreNotWithinEachOther) {
  TimelineRank rank;
  rank.messages = {{.begin_s = 0, .end_s = 1e-6, .peer = 1, .sent = true, .bytes = 4},
                   {.begin_s = 0, .end_s = 1e-6, .peer = 2, .sent = true, .bytes = 4},
                   {.begin_s = 0, .end_s = 1e-6, .peer = 2, .sent = false, .bytes = 4}};
  const std::vector<Track> tracks = tracks_of(rank);
  ASSERT_EQ(tracks.size(), 3U);
  EXPECT_EQ(tracks[0].name, "rank 0 sends");
  EXPECT_EQ(tracks[1].name, "rank 0 sends 2");
  EXPECT_EQ(tracks[2].name, "rank 0 receives");
}

// Sums of many small times end a rounding after the clock says that the next thing begins.
TEST(Tracks, RoundingDoesNotMakeSlicesOverlap) {
  TimelineRank rank;
  rank.slices = {slice(0, 10.0014, kForward), slice(10, 20, kReduceWeights)};
  const std::vector<Track> tracks = tracks_of(rank);
  ASSERT_EQ(tracks.size(), 1U);
  EXPECT_EQ(tracks[0].events[0].end_ns, 10'001);
  EXPECT_EQ(tracks[0].events[1].begin_ns, 10'001);
}

Plan plan_of(Grid grid) {
  PlanOptions options;
  options.grid = grid;
  options.batch = 12;
  return make_plan(network_from_json("even mlp", kEvenMlp), options);
}

TEST(Recorder, NotesTheIterationThatIsAskedFor) {
  TraceRecorder recorder(plan_of({2, 2}), {.ranks = {{3, 1}}, .iteration = 2}, 3, [] { return 0.0; });
  EXPECT_EQ(recorder.of_rank(0), nullptr);
  EXPECT_EQ(recorder.of_rank(2), nullptr);
  for (const int rank : {1, 3})
    for (int timed = -1; timed < 3; ++timed) {
      RankTrace& trace = *recorder.of_rank(rank);
      const double begin_s = 10.0 * timed + rank;
      trace.computed(account_of(0, Work::forward), {begin_s, begin_s + 1});  // before the iteration
      trace.begin(timed, begin_s);
      trace.computed(account_of(0, Work::forward), {begin_s, begin_s + 1});
      trace.computed(account_of(0, Work::forward), {begin_s + 1, begin_s + 2});  // without a gap: the same slice
      trace.computed(account_of(0, Work::forward), {begin_s + 3, begin_s + 4});
      trace.computed(account_of(2, Work::weight_additions), {begin_s + 4, begin_s + 5});
      trace.exchanged({.begin_s = begin_s, .end_s = begin_s + 1, .peer = 6, .sent = true, .bytes = 8});
      trace.exchanged({.begin_s = begin_s, .end_s = begin_s + 1, .peer = 0, .sent = true, .bytes = 0});
      trace.end(begin_s + 5);
    }
  const Timeline timeline = recorder.finish();
  EXPECT_EQ(timeline.iteration, 2);
  ASSERT_EQ(timeline.ranks.size(), 2U);
  EXPECT_EQ(timeline.ranks[0].rank, 1);
  EXPECT_EQ(timeline.ranks[1].rank, 3);
  EXPECT_EQ((std::pair{timeline.ranks[1].row, timeline.ranks[1].column}), (std::pair{1, 1}));
  const TimelineRank& later = timeline.ranks[1];  // 2 s after the first
  EXPECT_DOUBLE_EQ(later.begin_s, 2);
  EXPECT_DOUBLE_EQ(later.end_s, 7);
  ASSERT_EQ(later.slices.size(), 3U);
  EXPECT_EQ(later.slices[0], (TimelineSlice{2, 4, 0, kForward, -1, 0, false}));
  EXPECT_EQ(later.slices[1], (TimelineSlice{5, 6, 0, kForward, -1, 0, false}));
  EXPECT_EQ(later.slices[2], (TimelineSlice{6, 7, 2, kAdding, -1, 0, false}));
  ASSERT_EQ(later.messages.size(), 1U);  // to the second actor of rank 2, of 4
  EXPECT_EQ(later.messages[0].peer, 2);
  EXPECT_TRUE(later.messages[0].background);
}

TEST(Recorder, LeavesOutMessagesOfTheLastRanksThenRanks) {
  TraceRecorder recorder(
      plan_of({1, 3}), {.ranks = {{0, 1, 2}}}, 1, [] { return 0.0; }, 10);
  const auto note = [&](int rank, int slices, int messages) {
    RankTrace& trace = *recorder.of_rank(rank);
    trace.begin(0, 0);
    for (int i = 0; i < slices; ++i) trace.exchanged(0, Exchange::all_gather, {1.0 * i, i + 0.5}, 4, Course::at_once);
    for (int i = 0; i < messages; ++i) trace.exchanged({.begin_s = 0, .end_s = 1, .peer = 1, .sent = true, .bytes = 4});
  };
  const auto sizes = [&] {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (const TimelineRank& rank : recorder.finish().ranks)
      found.emplace_back(rank.slices.size(), rank.messages.size());
    return found;
  };
  using Sizes = std::vector<std::pair<std::size_t, std::size_t>>;
  note(2, 2, 4);
  note(0, 2, 2);
  EXPECT_EQ(sizes(), (Sizes{{2, 2}, {0, 0}, {2, 4}}));
  EXPECT_EQ(left_out_text(recorder.finish()), "");
  note(0, 0, 1);  // the eleventh
  EXPECT_EQ(sizes(), (Sizes{{2, 3}, {0, 0}, {2, 0}}));
  note(2, 1, 5);  // its messages stay out
  EXPECT_EQ(sizes(), (Sizes{{2, 3}, {0, 0}, {3, 0}}));
  EXPECT_EQ(left_out_text(recorder.finish()), "messages of ranks 2 left out: there would be more than 10 events");
  note(0, 9, 0);
  EXPECT_EQ(sizes(), (Sizes{{11, 0}, {0, 0}, {0, 0}}));
  const Timeline timeline = recorder.finish();
  EXPECT_TRUE(timeline.ranks[1].left_out);
  EXPECT_FALSE(timeline.ranks[0].left_out);
}

TEST(Recorder, ChoosesTheFirstOfTheFirstColumnAndRow) {
  EXPECT_EQ(default_traced_ranks({1, 1}), std::vector<int>{0});
  EXPECT_EQ(default_traced_ranks({2, 2}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(default_traced_ranks({32, 8}), (std::vector<int>{0, 1, 2, 3, 4, 32, 64, 96}));
  EXPECT_EQ(default_traced_ranks({1, 100}), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Recorder, ListsOfRanks) {
  EXPECT_EQ(parse_ranks("--trace-ranks", "0-3,17,2", 18), (std::vector<int>{0, 1, 2, 3, 17}));
  for (const char* wrong : {"", "0,", "-1", "1-", "0-18", "2-1", "x", "9999999999", "1.5"})
    EXPECT_THROW(parse_ranks("--trace-ranks", wrong, 18), InputError) << wrong;
}

}  // namespace
}  // namespace simtrain
