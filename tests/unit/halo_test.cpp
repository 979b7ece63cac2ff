// Do halo exchanges bring each strip the lines that its windows see, and the gradients back? By hand, and all ranks
// executed in memory.
#include "train/halo.hpp"

#include <gtest/gtest.h>

#include <map>

#include "kernels/blas_kernels.hpp"
#include "tests/support/kernel_buffers.hpp"
#include "train/cost.hpp"

namespace simtrain {
namespace {

constexpr std::int64_t kChannels = 2;

struct Windows {
  std::int64_t height, window, stride, padding;
  [[nodiscard]] std::int64_t outputs() const { return (height + 2 * padding - window) / stride + 1; }
  [[nodiscard]] Strips image(int strips) const { return {height, {height, strips}}; }
  [[nodiscard]] Strips seen(int strips) const { return {height, {outputs(), strips}, window, stride, padding}; }
};

Halo halo_of(const Windows& windows, Grid grid, std::int64_t batch, std::int64_t width, bool gradient) {
  return {{.from = {.grid = grid, .rows = {kChannels, 1}, .strips = windows.image(grid.rows)},
           .to = {.grid = grid, .rows = {kChannels, 1}, .strips = windows.seen(grid.rows)},
           .batch = batch,
           .line_floats = width,
           .lines = windows.height},
          gradient};
}

TEST(Strips, SeeTheLinesOfTheirWindows) {
  // A convolution of 5 lines over 13 lines in strips of 5, 4, 4.
  const Windows same{13, 5, 1, 2};
  const std::vector<Lines> seen{{0, 7}, {3, 8}, {7, 6}}, inside{{0, 3}, {4, 0}, {2, 2}};
  // With a stride of 2 over 19 lines in strips of 7, 6, 6: outputs 0-3, 4-6, 7-9.
  const Windows strided{19, 5, 2, 2};
  const std::vector<Lines> strided_seen{{0, 9}, {6, 9}, {12, 7}}, strided_inside{{0, 3}, {1, 1}, {1, 2}};
  for (int strip = 0; strip < 3; ++strip) {
    const auto i = static_cast<std::size_t>(strip);
    EXPECT_EQ(same.seen(3).of(strip), seen[i]) << strip;
    EXPECT_EQ(interior_of(same.seen(3), same.image(3), strip), inside[i]) << strip;
    EXPECT_EQ(strided.seen(3).of(strip), strided_seen[i]) << strip;
    EXPECT_EQ(interior_of(strided.seen(3), strided.image(3), strip), strided_inside[i]) << strip;
  }
}

TEST(Strips, MayBeEmpty) {
  const Windows pooling{13, 3, 2, 0};  // puts out 6 lines: of 8 strips two have none
  for (const int strip : {6, 7}) {
    EXPECT_EQ(pooling.seen(8).of(strip), (Lines{13, 0}));
    EXPECT_EQ(interior_of(pooling.seen(8), pooling.image(8), strip), (Lines{0, 0}));
  }
  EXPECT_EQ(pooling.seen(8).of(5), (Lines{10, 3}));
  EXPECT_EQ((Strips{.height = 2, .outputs = {2, 3}}).of(2), (Lines{2, 0}));
}

// Whoever has some of the lines [line, end).
TEST(Strips, AreFoundByTheirLines) {
  for (const Windows& windows :
       {Windows{13, 5, 1, 2}, Windows{13, 1, 1, 0}, Windows{13, 3, 2, 0}, Windows{13, 1, 1, 1}})
    for (const int strips : {1, 3, 8, 20}) {
      const Strips seen = windows.seen(strips);
      for (std::int64_t line = 0; line < 13; ++line)
        for (std::int64_t end = line + 1; end <= 13; ++end) {
          int first = -1, last = -1;
          for (int strip = 0; strip < strips; ++strip) {
            const Lines of = seen.of(strip);
            if (std::min(of.end(), end) <= std::max(of.first, line)) continue;
            if (first < 0) first = strip;
            last = strip;
          }
          if (first < 0) {
            EXPECT_GT(seen.first_beyond(line), seen.last_before(end));
            continue;
          }
          EXPECT_EQ(seen.first_beyond(line), first) << line;
          EXPECT_EQ(seen.last_before(end), last) << end;
        }
    }
}

TEST(Halo, IsTrivialWhereWindowsStayInTheirStrips) {
  EXPECT_TRUE(trivial(Windows{13, 1, 1, 0}.image(3), Windows{13, 1, 1, 0}.seen(3)));
  EXPECT_TRUE(trivial(Windows{13, 3, 1, 1}.image(1), Windows{13, 3, 1, 1}.seen(1)));
  EXPECT_FALSE(trivial(Windows{13, 3, 1, 1}.image(3), Windows{13, 3, 1, 1}.seen(3)));
  EXPECT_FALSE(trivial(Windows{12, 2, 2, 0}.image(3), Windows{12, 3, 1, 1}.seen(3)));
  EXPECT_TRUE(trivial(Windows{12, 2, 2, 0}.image(3), Windows{12, 2, 2, 0}.seen(3)));
}

// By (sender, receiver): floats of the message.
using Messages = std::map<std::pair<int, int>, std::int64_t>;
Messages messages_of(const Halo& halo) {
  Messages messages;
  for (int rank = 0; rank < halo.array.ranks(); ++rank)
    for_each_leg(halo, rank, [&](const HaloLeg& leg) {
      if (leg.send_to >= 0) messages[{rank, leg.send_to}] = leg.send.floats();
    });
  return messages;
}

// A sample of 2 channels, 3 pixels a line: 6 floats a line. Lines 5 and 6 go up to strip 0, 3 and 4 down to strip 1,
// ...
TEST(Halo, SendsLinesToNeighbours) {
  const Messages expected{{{0, 1}, 2 * 6}, {{1, 0}, 2 * 6}, {{1, 2}, 2 * 6}, {{2, 1}, 2 * 6}};
  Halo halo = halo_of({13, 5, 1, 2}, {3, 1}, 1, 3, false);
  EXPECT_EQ(messages_of(halo), expected);
  EXPECT_EQ(count_messages(halo.array), 4);
  halo.gradient = true;
  EXPECT_EQ(messages_of(halo), expected);  // the same lines back
}

// Strips of one line, windows of five: each gets two from either side, from four strips. Columns do not mix.
TEST(Halo, ReachesOverSeveralNeighbours) {
  const Messages messages = messages_of(halo_of({5, 5, 1, 2}, {5, 2}, 2, 3, false));
  EXPECT_EQ(messages.size(), 2U * (2 + 3 + 4 + 3 + 2));
  for (const auto& [ranks, floats] : messages) {
    EXPECT_EQ(ranks.first / 5, ranks.second / 5);
    EXPECT_LE(std::abs(ranks.first - ranks.second), 2);
    EXPECT_EQ(floats, 6);
  }
}

// All ranks in memory: what `operations` of the trainer do, with messages as vectors.
class World {
 public:
  World(const Windows& windows, Grid grid, std::int64_t batch, std::int64_t width, bool gradient)
      : halo_(halo_of(windows, grid, batch, width, gradient)) {}

  [[nodiscard]] std::int64_t floats(const Redistribution::Side& side, int rank) const {
    const Coordinates at = side.grid.coordinates(rank);
    return kChannels * Partition{halo_.array.batch, side.grid.columns}.length(at.column) *
           side.strips.of(at.row).count * halo_.array.line_floats;
  }
  // Calls visit(index in the rank's array, channel, sample, line, pixel).
  template <typename Visit>
  void for_each_place(const Redistribution::Side& side, int rank, const Visit& visit) const {
    const Coordinates at = side.grid.coordinates(rank);
    const Partition samples{halo_.array.batch, side.grid.columns};
    const Lines lines = side.strips.of(at.row);
    std::size_t index = 0;
    for (std::int64_t c = 0; c < kChannels; ++c)
      for (std::int64_t s = samples.offset(at.column); s < samples.offset(at.column) + samples.length(at.column); ++s)
        for (std::int64_t line = lines.first; line < lines.end(); ++line)
          for (std::int64_t x = 0; x < halo_.array.line_floats; ++x) visit(index++, c, s, line, x);
  }

  void exchange(std::vector<Floats>& source, std::vector<Floats>& target) const {
    std::map<std::pair<int, int>, Floats> messages;
    const int ranks = halo_.array.ranks();
    for (int rank = 0; rank < ranks; ++rank) {
      Floats& array = source[static_cast<std::size_t>(rank)];
      for_each_leg(halo_, rank, [&](const HaloLeg& leg) {
        if (leg.send_to < 0) return;
        Floats& message = messages[{rank, leg.send_to}];
        message.resize(static_cast<std::size_t>(leg.send.floats()));
        execute(copy_between(leg.send, packed(leg.send)), {from(array, leg.send), buffer(message)});
      });
    }
    for (int rank = 0; rank < ranks; ++rank) {
      Floats& array = target[static_cast<std::size_t>(rank)];
      const HaloCopy kept = kept_of(halo_, rank);
      if (kept.cleared > 0) execute(Clear{kept.cleared}, {buffer(array)});
      if (kept.from.floats() > 0)
        execute(copy_between(kept.from, kept.to),
                {from(source[static_cast<std::size_t>(rank)], kept.from), from(array, kept.to)});
      for_each_leg(halo_, rank, [&](const HaloLeg& leg) {
        if (leg.receive_from < 0) return;
        Floats& message = messages.at({leg.receive_from, rank});
        ASSERT_EQ(static_cast<std::int64_t>(message.size()), leg.receive.floats());
        CopyBlock arrival = copy_between(packed(leg.receive), leg.receive);
        arrival.add = halo_.gradient;
        execute(arrival, {buffer(message), from(array, leg.receive)});
      });
    }
  }

  [[nodiscard]] std::vector<Floats> arrays(const Redistribution::Side& side) const {
    std::vector<Floats> all;
    for (int rank = 0; rank < halo_.array.ranks(); ++rank) all.push_back(garbage(floats(side, rank)));
    return all;
  }
  [[nodiscard]] const Halo& halo() const { return halo_; }

 private:
  static Buffer from(Floats& array, const StoredBlock& block) {
    return buffer(array).slice(block.offset, static_cast<std::int64_t>(array.size()) - block.offset);
  }
  Halo halo_;
};

const std::vector<Windows> kWindows{{13, 5, 1, 2}, {13, 3, 2, 0}, {13, 3, 2, 1}, {9, 1, 2, 0},
                                    {7, 7, 1, 0},  {5, 3, 1, 2},  {6, 2, 2, 0},  {7, 1, 1, 1}};

TEST(Halo, BringsTheLinesThatAreSeen) {
  for (const Windows& windows : kWindows)
    for (const Grid grid : {Grid{2, 1}, Grid{3, 2}, Grid{4, 3}, Grid{8, 1}, Grid{16, 1}}) {
      const World world(windows, grid, 4, 3, false);
      const auto value = [](std::int64_t c, std::int64_t s, std::int64_t line, std::int64_t x) {
        return static_cast<float>(1000 * c + 100 * s + 4 * line + x);
      };
      std::vector<Floats> own = world.arrays(world.halo().array.from), seen = world.arrays(world.halo().array.to);
      for (int rank = 0; rank < static_cast<int>(grid.size()); ++rank)
        world.for_each_place(world.halo().array.from, rank,
                             [&](std::size_t i, auto... at) { own[static_cast<std::size_t>(rank)][i] = value(at...); });
      world.exchange(own, seen);
      for (int rank = 0; rank < static_cast<int>(grid.size()); ++rank)
        world.for_each_place(world.halo().array.to, rank, [&](std::size_t i, auto... at) {
          ASSERT_EQ(seen[static_cast<std::size_t>(rank)][i], value(at...)) << to_string(grid) << ", rank " << rank;
        });
    }
}

// A gradient of 1 for every line that a rank sees: each line gets as many as there are ranks that see it.
TEST(Halo, AddsTheGradientsOfAllThatSeeALine) {
  for (const Windows& windows : kWindows)
    for (const Grid grid : {Grid{2, 1}, Grid{3, 2}, Grid{4, 3}, Grid{8, 1}, Grid{16, 1}}) {
      const World world(windows, grid, 4, 3, true);
      std::vector<Floats> seen = world.arrays(world.halo().array.to), own = world.arrays(world.halo().array.from);
      for (Floats& array : seen) std::fill(array.begin(), array.end(), 1.0F);
      world.exchange(seen, own);
      const Strips strips = windows.seen(grid.rows);
      for (int rank = 0; rank < static_cast<int>(grid.size()); ++rank)
        world.for_each_place(world.halo().array.from, rank, [&](std::size_t i, auto, auto, std::int64_t line, auto) {
          int seers = 0;
          for (int strip = 0; strip < strips.count(); ++strip)
            seers += line >= strips.of(strip).first && line < strips.of(strip).end() ? 1 : 0;
          ASSERT_EQ(own[static_cast<std::size_t>(rank)][i], static_cast<float>(seers)) << "line " << line;
        });
    }
}

// Two strips of a sample: a message of n = 2 lines each way takes alpha + 4 n beta, and nothing if as much is computed
// in between. Three strips: the middle one has two each way on its link.
TEST(Halo, ClocksTakeTheLongestMessageThatIsNotHidden) {
  const AlphaBeta network{.latency_s = 1, .seconds_per_byte = 0.25};
  const HaloPrices prices{[](std::int64_t floats) { return 0.01 * static_cast<double>(floats); },
                          [](std::int64_t floats) { return 0.02 * static_cast<double>(floats); },
                          [](std::int64_t) { return 0.0; }};
  const auto run = [&](int strips, double computed_s) {
    const Halo halo = halo_of({4 * strips, 5, 1, 2}, {strips, 1}, 1, 3, false);
    std::vector<double> clocks(static_cast<std::size_t>(strips), 0.0);
    const std::vector<double> through = begin_halo(halo, network, prices, clocks);
    for (double& clock : clocks) clock += computed_s;
    end_halo(halo, prices, through, clocks);
    return clocks;
  };
  // 12 floats a message: packed in 0.12, on their way for 1 + 12, unpacked in 0.12.
  for (const double clock : run(2, 0)) EXPECT_NEAR(clock, 0.12 + 13 + 0.12, 1e-12);
  // Packed in 0.12; own 24 floats copied in 0.24; 20 computed.
  for (const double clock : run(2, 20)) EXPECT_NEAR(clock, 0.12 + 0.24 + 20 + 0.12, 1e-12);
  const std::vector<double> three = run(3, 0);  // the middle one packs two, and its neighbours wait for it
  EXPECT_NEAR(three[0], 0.24 + 25 + 0.12, 1e-12);
  EXPECT_NEAR(three[1], 0.24 + 25 + 0.24, 1e-12);
  EXPECT_NEAR(three[2], 0.24 + 25 + 0.12, 1e-12);
}

}  // namespace
}  // namespace simtrain
