// Flows that share a link get equal parts of it, however long their routes are (SimGrid by itself would share in
// inverse proportion to the latencies of routes). The times are worked out by hand.
#include <gtest/gtest.h>
#include <smpi/smpi.h>

#include "sim/engine/simulation.hpp"
#include "tests/simulated/in_child.hpp"

namespace simtrain {
namespace {

// Ranks 0 and 1 send 16 000 bytes each, envelope included, to ranks 2 and 3. When they have arrived, in seconds.
std::pair<double, double> arrivals(const std::string& platform, const std::vector<int>& host_of_rank) {
  Simulation simulation(platform, {.ranks = 4});
  std::pair<double, double> seconds;
  simulation.run(host_of_rank, [&](int rank) {
    payloads_off(rank);
    simulation.align();
    char dummy = 0;
    const int bytes = 16'000 - kEnvelopeBytes;
    if (rank < 2) MPI_Send(&dummy, bytes, MPI_BYTE, rank + 2, 0, MPI_COMM_WORLD);
    if (rank >= 2) MPI_Recv(&dummy, bytes, MPI_BYTE, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2) seconds.first = MPI_Wtime();
    if (rank == 3) seconds.second = MPI_Wtime();
  });
  return seconds;
}

// 1 GB/s, 2 us per link. From host 3 to 4: one link, moves from 2 us on. From host 1 to 4: three links, from 6 us on.
// Until then the first has moved 4 000 bytes; its other 12 000 at half the bandwidth take 24 us; the 4 000 bytes that
// are left of the second take 4 us.
TEST(FairSharing, OfALinkOfATorusByRoutesOfOneAndThreeLinks) {
  in_child([] {
    const auto [near, far] = arrivals("torus:8,latency=2us,bandwidth=1GBps", {3, 1, 4, 4});
    EXPECT_NEAR(near, 30e-6, 1e-12);
    EXPECT_NEAR(far, 34e-6, 1e-12);
  });
}

// Into one host, from its own leaf (2 links) and through a core switch (4 links): from 4 and from 8 us on.
TEST(FairSharing, OfALinkOfAFatTreeByRoutesOfTwoAndFourLinks) {
  in_child([] {
    const auto [near, far] = arrivals("fat-tree:4x2,latency=2us,bandwidth=1GBps", {1, 4, 0, 0});
    EXPECT_NEAR(near, 32e-6, 1e-12);
    EXPECT_NEAR(far, 36e-6, 1e-12);
  });
}

// Without any latency, beside one that has some, on a platform whose hosts share a switch.
TEST(FairSharing, WithoutLatency) {
  in_child([] {
    const auto [one, other] = arrivals("crossbar:4,latency=0s,bandwidth=1GBps", {1, 2, 0, 0});
    EXPECT_NEAR(one, 32e-6, 1e-12);
    EXPECT_NEAR(other, 32e-6, 1e-12);
  });
}

}  // namespace
}  // namespace simtrain
