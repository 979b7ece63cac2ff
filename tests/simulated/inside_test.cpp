// Several ranks on one host: what they share inside it, and that they share its way out. Times are worked out by hand.
#include <gtest/gtest.h>
#include <smpi/smpi.h>

#include <algorithm>

#include "sim/engine/simulation.hpp"
#include "tests/simulated/in_child.hpp"

namespace simtrain {
namespace {

// Hosts 0 and 1 are on one switch, or neighbours.
const std::vector<std::string> kFamilies{"torus:3",         "fat-tree:4",      "fat-tree:3x2", "leaf-spine:2x3",
                                         "dragonfly:2x2x3", "dragonfly:1x1x3", "ethernet:3",   "crossbar:3"};

// Message i of 1 MB, envelope included, goes from rank 2 i to rank 2 i + 1, all at once; when each has arrived.
std::vector<double> arrivals(const std::string& platform, const std::vector<int>& host_of_rank) {
  Simulation simulation(platform, {.ranks = static_cast<std::int64_t>(host_of_rank.size())});
  std::vector<double> seconds(host_of_rank.size() / 2);
  simulation.run(host_of_rank, [&](int rank) {
    payloads_off(rank);
    simulation.align();
    char dummy = 0;
    const int bytes = 1'000'000 - kEnvelopeBytes;
    if (rank % 2 == 0) MPI_Send(&dummy, bytes, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    if (rank % 2 == 1) MPI_Recv(&dummy, bytes, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank % 2 == 1) seconds[static_cast<std::size_t>(rank / 2)] = MPI_Wtime();
  });
  return seconds;
}

void expect_all(const std::vector<double>& found, double expected, const std::string& platform) {
  for (const double seconds : found) EXPECT_NEAR(seconds, expected, 1e-12) << platform;
}

// 1 MB at 20 GB/s after 100 ns, one message or three at once.
TEST(Inside, MessagesDoNotSlowEachOtherDownUnlessTheyShareATotal) {
  for (const std::string& family : kFamilies) {
    in_child([&] { expect_all(arrivals(family, {1, 1}), 100e-9 + 50e-6, family); });
    in_child([&] { expect_all(arrivals(family, {1, 1, 1, 1, 1, 1}), 100e-9 + 50e-6, family); });
    const std::string given = family + ",inside=10GBps,inside-latency=2us";
    in_child([&] { expect_all(arrivals(given, {1, 1, 1, 1}), 2e-6 + 100e-6, given); });
  }
}

TEST(Inside, ATotalIsSharedInEqualParts) {
  for (const std::string& family : kFamilies) {
    // Two of 10 GB/s fit into 20, three get a third of 20 each; another host has its own.
    const std::string platform = family + ",inside=10GBps,inside-latency=2us,inside-total=20GBps";
    in_child([&] { expect_all(arrivals(platform, {1, 1, 1, 1}), 2e-6 + 100e-6, platform); });
    in_child([&] { expect_all(arrivals(platform, {1, 1, 1, 1, 1, 1}), 2e-6 + 150e-6, platform); });
    in_child([&] { expect_all(arrivals(platform, {1, 1, 1, 1, 0, 0, 0, 0}), 2e-6 + 100e-6, platform); });
  }
}

// Two ranks of host 0 send to host 1 at once: half of the host's cable each. Alone: all of it.
TEST(Inside, RanksOfAHostShareItsWayOut) {
  for (const std::string& family : kFamilies) {
    const std::string platform = family + ",bandwidth=1GBps,latency=2us,inside=300GBps,cores=4";
    // A neighbour in the torus is one link away, one on the same switch two; a crossbar's latency is the whole route's.
    const bool two_links = !family.starts_with("torus") && !family.starts_with("crossbar");
    const double alone_s = (two_links ? 4e-6 : 2e-6) + 1e-3;
    in_child([&] { expect_all(arrivals(platform, {0, 1}), alone_s, platform); });
    in_child([&] { expect_all(arrivals(platform, {0, 1, 0, 1}), alone_s + 1e-3, platform); });
  }
}

// What goes on inside a host does not slow down what leaves it.
TEST(Inside, AndOutsideAreApart) {
  in_child([] {
    const std::vector<double> found = arrivals(
        "crossbar:2,bandwidth=1GBps,latency=2us,inside=2GBps,inside-latency=1us,inside-total=2GBps", {0, 1, 0, 0});
    EXPECT_NEAR(found[0], 2e-6 + 1e-3, 1e-12);
    EXPECT_NEAR(found[1], 1e-6 + 0.5e-3, 1e-12);
  });
}

double computing_seconds(const std::string& platform, int ranks) {
  Simulation simulation(platform, {.ranks = ranks});
  double end_s = 0;
  simulation.run(std::vector<int>(static_cast<std::size_t>(ranks), 1), [&](int) {
    charge_compute(2);
    end_s = std::max(end_s, MPI_Wtime());
  });
  return end_s;
}

TEST(Inside, MoreRanksThanCoresShareThem) {
  for (const std::string& family : kFamilies) {
    in_child([&] { EXPECT_NEAR(computing_seconds(family + ",cores=4", 4), 2, 1e-9) << family; });
    in_child([&] { EXPECT_NEAR(computing_seconds(family + ",cores=4", 6), 3, 1e-9) << family; });
    in_child([&] { EXPECT_NEAR(computing_seconds(family, 100), 2, 1e-9) << family << ": no limit"; });
  }
}

}  // namespace
}  // namespace simtrain
