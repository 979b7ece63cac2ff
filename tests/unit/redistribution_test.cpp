// Does a redistribution bring every rank what it needs, and no float more? All ranks executed in memory.
#include "train/redistribution.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "train/cost.hpp"

namespace simtrain {
namespace {

using Side = Redistribution::Side;

Side side(Grid grid, std::int64_t rows, std::int64_t unit, bool whole, bool stored) {
  return {.grid = grid, .rows = {rows, grid.rows, unit}, .whole = whole, .stored = stored};
}

// Every combination of grids, what is there and what is needed, for rows and samples that divide nothing.
std::vector<Redistribution> cases(int ranks) {
  std::vector<Redistribution> all;
  for (const Grid from : grids_of(ranks))
    for (const Grid to : grids_of(ranks))
      for (const bool from_whole : {false, true})
        for (const bool to_whole : {false, true})
          for (const bool stored : {false, true})
            for (const auto& [rows, unit, batch, line_floats] :
                 {std::tuple{5, 3, 13, 1}, std::tuple{8, 1, 8, 4}, std::tuple{2, 1, 30, 2}}) {
              if (batch < ranks) continue;
              all.push_back({.from = side(from, rows, unit, from_whole, from_whole || stored),
                             .to = side(to, rows, unit, to_whole, to_whole || stored),
                             .batch = batch,
                             .line_floats = line_floats});
            }
  return all;
}

// Images of so many lines in strips, or what windows over them see.
Side in_strips(Grid grid, std::int64_t rows, const Strips& strips) {
  return {.grid = grid, .rows = {rows, 1}, .strips = strips};
}

// The elements of a rank's part, worked out one by one.
struct Element {
  std::int64_t row, sample, line, pixel;
  auto operator<=>(const Element&) const = default;
};
// Whether a strip has a line, or the window of one of its outputs sees it.
bool sees(const Strips& strips, int strip, std::int64_t line) {
  if (!strips.cut()) return true;
  std::int64_t first = strips.height, last = -1;
  for (std::int64_t out = strips.outputs.offset(strip);
       out < strips.outputs.offset(strip) + strips.outputs.length(strip); ++out)
    for (std::int64_t y = out * strips.stride - strips.padding;
         y < out * strips.stride - strips.padding + strips.window; ++y)
      if (y >= 0 && y < strips.height) {
        first = std::min(first, y);
        last = std::max(last, y);
      }
  return line >= first && line <= last;
}
std::set<Element> part(const Redistribution& array, const Side& side, int rank, bool whole) {
  const int grid_row = rank % side.grid.rows, column = rank / side.grid.rows;
  const Partition samples{array.batch, side.grid.columns};
  std::set<Element> elements;
  for (std::int64_t row = 0; row < side.rows.size(); ++row)
    for (std::int64_t sample = 0; sample < array.batch; ++sample) {
      const bool mine = side.strips.cut() || (row >= side.rows.offset(grid_row) &&
                                              row < side.rows.offset(grid_row) + side.rows.length(grid_row));
      const bool of_column =
          sample >= samples.offset(column) && sample < samples.offset(column) + samples.length(column);
      for (std::int64_t line = 0; (whole || mine) && of_column && line < array.lines; ++line)
        for (std::int64_t pixel = 0; sees(side.strips, grid_row, line) && pixel < array.line_floats; ++pixel)
          elements.insert({row, sample, line, pixel});
    }
  return elements;
}

// A rank's buffer: [rows][samples][lines][line_floats], of all rows or its own.
std::map<std::int64_t, Element> places(const Redistribution& array, const Side& side, int rank) {
  std::map<std::int64_t, Element> result;
  std::int64_t place = 0;
  for (const Element& element : part(array, side, rank, side.stored)) result[place++] = element;
  return result;
}

std::vector<Element> read(const Redistribution& array, const Side& side, int rank, const ArrayBlock& block) {
  const auto buffer = places(array, side, rank);
  const StoredBlock stored = stored_block(array, side, rank, block);
  std::vector<Element> elements;
  for (std::int64_t row = 0; row < stored.rows; ++row)
    for (std::int64_t sample = 0; sample < stored.samples; ++sample)
      for (std::int64_t i = 0; i < stored.run; ++i)
        elements.push_back(buffer.at(stored.offset + row * stored.row_stride + sample * stored.sample_stride + i));
  return elements;
}

void expect_right(const Redistribution& array) {
  std::vector<std::set<Element>> arrived(static_cast<std::size_t>(array.ranks()));
  std::int64_t messages = 0, sent = 0, lacking = 0;
  const auto deliver = [&](int rank, const std::vector<Element>& elements) {
    for (const Element& element : elements)
      ASSERT_TRUE(arrived[static_cast<std::size_t>(rank)].insert(element).second) << "twice";
  };
  for (int rank = 0; rank < array.ranks(); ++rank) {
    const ArrayBlock kept = kept_block(array, rank);
    if (!kept.empty()) {
      ASSERT_EQ(read(array, array.from, rank, kept), read(array, array.to, rank, kept));
      deliver(rank, read(array, array.from, rank, kept));
    }
    int before = 0;
    for (int round = next_round(array, rank, 0); round < array.ranks(); round = next_round(array, rank, round)) {
      ASSERT_GT(round, before);
      before = round;
      const Transfer mine = transfer_of(array, rank, round);
      ASSERT_TRUE(mine.send_to >= 0 || mine.receive_from >= 0) << "nothing in round " << round;
      if (mine.send_to < 0) continue;
      ASSERT_EQ(mine.send_to, (rank + round) % array.ranks());
      ASSERT_FALSE(mine.send.empty());
      // The other end expects it, in this round.
      ASSERT_EQ(next_round(array, mine.send_to, round - 1), round);
      const Transfer theirs = transfer_of(array, mine.send_to, round);
      ASSERT_EQ(theirs.receive_from, rank);
      ASSERT_EQ(theirs.receive, mine.send);
      const auto elements = read(array, array.from, rank, mine.send);
      ASSERT_EQ(elements, read(array, array.to, mine.send_to, theirs.receive));
      deliver(mine.send_to, elements);
      ++messages;
      sent += array.floats(mine.send);
    }
  }
  for (int rank = 0; rank < array.ranks(); ++rank) {
    const std::set<Element> needed = part(array, array.to, rank, array.to.whole);
    ASSERT_EQ(arrived[static_cast<std::size_t>(rank)], needed) << "rank " << rank;
    for (const Element& element : part(array, array.from, rank, array.from.whole))
      lacking -= needed.contains(element) ? 1 : 0;
    lacking += static_cast<std::int64_t>(needed.size());
  }
  EXPECT_EQ(sent, lacking);  // exactly what ranks need and have not
  EXPECT_EQ(count_messages(array), messages);
}

TEST(Redistribution, BringsWhatIsNeededAndNoMore) {
  for (const int ranks : {1, 2, 3, 4, 6, 7, 8, 12})
    for (const Redistribution& array : cases(ranks)) {
      SCOPED_TRACE(to_string(array.from.grid) + (array.from.whole ? " whole" : " own") + " to " +
                   to_string(array.to.grid) + (array.to.whole ? " whole, " : " own, ") +
                   std::to_string(array.from.rows.size()) + " rows, batch " + std::to_string(array.batch));
      ASSERT_NO_FATAL_FAILURE(expect_right(array));
    }
}

// Strips to rows, rows to strips, strips to other strips, and strips to what windows over them see.
TEST(Redistribution, BringsLinesToAndFromStrips) {
  constexpr std::int64_t kRows = 3, kHeight = 7, kBatch = 12;
  for (const int ranks : {1, 2, 3, 4, 6, 8, 12})
    for (const Grid from : grids_of(ranks))
      for (const Grid to : grids_of(ranks)) {
        const Side strips = in_strips(from, kRows, {kHeight, {kHeight, from.rows}});
        std::vector<std::pair<Side, Side>> sides{{strips, in_strips(to, kRows, {kHeight, {kHeight, to.rows}})}};
        for (const bool whole : {false, true}) {
          sides.emplace_back(strips, side(to, kRows, 1, whole, whole));
          sides.emplace_back(side(to, kRows, 1, whole, true), strips);
        }
        if (from == to)
          for (const auto& [outputs, window, stride, padding] :
               {std::tuple{7, 3, 1, 1}, std::tuple{7, 5, 1, 2}, std::tuple{3, 3, 2, 0}, std::tuple{4, 1, 2, 0},
                std::tuple{9, 1, 1, 1}, std::tuple{2, 7, 3, 2}, std::tuple{1, 7, 1, 0}})
            sides.emplace_back(strips, in_strips(to, kRows, {kHeight, {outputs, to.rows}, window, stride, padding}));
        for (const auto& [source, target] : sides) {
          SCOPED_TRACE(to_string(from) + " to " + to_string(to));
          ASSERT_NO_FATAL_FAILURE(
              expect_right({.from = source, .to = target, .batch = kBatch, .line_floats = 2, .lines = kHeight}));
        }
      }
}

// Blocks from one place to another: as few runs as there can be.
TEST(Redistribution, CopiesInLongRuns) {
  const auto copy = [](const StoredBlock& from, const StoredBlock& to) {
    const CopyBlock block = copy_between(from, to);
    return std::tuple{block.planes, block.rows, block.run, block.from_stride, block.to_stride};
  };
  const StoredBlock dense{0, 3, 20, 4, 5, 5}, lines{2, 3, 40, 4, 10, 5}, samples{0, 3, 100, 4, 5, 5},
      both{0, 3, 100, 4, 10, 5};
  EXPECT_TRUE(dense.contiguous());
  EXPECT_FALSE(lines.contiguous());
  EXPECT_FALSE(samples.contiguous());
  EXPECT_EQ(copy(dense, dense), (std::tuple{1, 3, 20, 20, 20}));
  EXPECT_EQ(copy(dense, lines), (std::tuple{1, 12, 5, 5, 10}));
  EXPECT_EQ(copy(samples, dense), (std::tuple{1, 3, 20, 100, 20}));
  EXPECT_EQ(copy(both, dense), (std::tuple{3, 4, 5, 10, 5}));
}

// AlexNet's conv5 to fc6 at P = 512, B = 2048, 16 x 32: a rank has 4 samples of 9216 and needs 64: it gets 60, from 15
// ranks, as an all-gather over Pr = 16 moves. The gradient comes back without a message.
TEST(Redistribution, FromBatchToAGridIsAnAllGather) {
  const Redistribution forward{.from = side({1, 512}, 256, 36, false, false),
                               .to = side({16, 32}, 256, 36, true, true),
                               .batch = 2048,
                               .line_floats = 1};
  EXPECT_EQ(count_messages(forward), 512 * 15);
  for (const int rank : {0, 5, 511}) {
    std::int64_t received = 0, rounds = 0;
    for (int round = next_round(forward, rank, 0); round < 512; round = next_round(forward, rank, round)) {
      received += forward.floats(transfer_of(forward, rank, round).receive);
      ++rounds;
    }
    EXPECT_EQ(received, 60 * 9216);
    EXPECT_GE(rounds, 15);
  }
  const Redistribution backward{.from = side({16, 32}, 256, 36, true, true),
                                .to = side({1, 512}, 256, 36, false, false),
                                .batch = 2048,
                                .line_floats = 1};
  EXPECT_EQ(count_messages(backward), 0);
}

// A million ranks: nothing may grow with them.
TEST(Redistribution, OfAMillionRanksIsLookedAtOneByOne) {
  const Redistribution array{.from = side({1, 1 << 20}, 9216, 1, false, false),
                             .to = side({1 << 10, 1 << 10}, 9216, 1, true, true),
                             .batch = 1 << 22,
                             .line_floats = 1};
  const int rank = 777'777;
  int rounds = 0;
  std::int64_t received = 0;
  for (int round = next_round(array, rank, 0); round < array.ranks(); round = next_round(array, rank, round)) {
    received += array.floats(transfer_of(array, rank, round).receive);
    ++rounds;
  }
  EXPECT_EQ(received, 1023 * 4 * 9216LL);
  EXPECT_LE(rounds, 2 * 1023);
}

// 1 x 3 to 3 x 1, three samples of one row: each rank sends its sample to both others. Round 1: 0 to 1 to 2 to 0, round
// 2: 0 to 2 to 1 to 0. Messages of one float, of which the target's are contiguous; each keeps one float.
TEST(Redistribution, ClocksTakeTheRounds) {
  const Redistribution array{
      .from = side({1, 3}, 3, 1, false, false), .to = side({3, 1}, 3, 1, true, true), .batch = 3, .line_floats = 1};
  std::vector<double> clocks{0, 0, 10};
  // 3 rows of 1 sample on the sending side (contiguous), 3 rows of 3 samples on the receiving side (packed).
  advance_clocks(
      array, {.latency_s = 1, .seconds_per_byte = 0.25},
      [](std::int64_t floats) { return 0.01 * static_cast<double>(floats); }, clocks);
  // Copy of 3 floats: 0.03. A message of 3 floats takes 1 + 3 = 4, and 0.03 to unpack. Rank 2 is ready at 10.03.
  // Round 1: 0 sends to 1 (4.03) and receives from 2 (14.03): 14.06. 1 sends to 2 (14.03): 14.06. 2: 14.06.
  // Round 2: all from 14.06: 18.09.
  for (const double clock : clocks) EXPECT_NEAR(clock, 18.09, 1e-12);
}

}  // namespace
}  // namespace simtrain
