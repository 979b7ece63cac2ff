// The engine: what passes out of a simulated job, deadlocks and errors included.
#include "sim/engine/simulation.hpp"

#include <gtest/gtest.h>
#include <smpi/smpi.h>

#include <numeric>

#include "base/error.hpp"
#include "tests/simulated/in_child.hpp"

namespace simtrain {
namespace {

std::vector<int> one_rank_per_host(int ranks) {
  std::vector<int> hosts(static_cast<std::size_t>(ranks));
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

template <typename Error>
std::string text_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

TEST(Compute, TakesExactlyTheSecondsCharged) {
  in_child([] {
    Simulation simulation("crossbar:2", {.ranks = 4});  // two ranks on each host do not slow each other down
    std::vector<double> seconds(4);
    simulation.run({0, 0, 1, 1}, [&](int rank) {
      const double start = MPI_Wtime();
      charge_compute(0.125 * (rank + 1));
      charge_compute(0);
      seconds[static_cast<std::size_t>(rank)] = MPI_Wtime() - start;
    });
    for (int rank = 0; rank < 4; ++rank) EXPECT_DOUBLE_EQ(seconds[static_cast<std::size_t>(rank)], 0.125 * (rank + 1));
    EXPECT_DOUBLE_EQ(simulation.clock_s(), 0.5);
  });
}

TEST(Align, WaitsForTheLastRankAndTakesNoTime) {
  in_child([] {
    Simulation simulation("crossbar:3", {.ranks = 3});
    std::vector<double> clock(3);
    simulation.run(one_rank_per_host(3), [&](int rank) {
      charge_compute(rank);
      simulation.align();
      clock[static_cast<std::size_t>(rank)] = MPI_Wtime();
    });
    EXPECT_EQ(clock, std::vector<double>(3, clock[0]));
    EXPECT_DOUBLE_EQ(simulation.clock_s(), 2);
  });
}

TEST(Payloads, AreRealUntilTurnedOffAndStayRealWhenAsked) {
  for (const bool real : {false, true})
    in_child([real] {
      Simulation simulation("crossbar:4", {.ranks = 4, .real_payloads = real});
      std::vector<int> before(4), after(4);
      std::vector<double> seconds(4);
      simulation.run(one_rank_per_host(4), [&](int rank) {
        const auto me = static_cast<std::size_t>(rank);
        MPI_Allreduce(&rank, &before[me], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        payloads_off(rank);
        simulation.align();
        const double start = MPI_Wtime();
        MPI_Allreduce(&rank, &after[me], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        seconds[me] = MPI_Wtime() - start;
      });
      EXPECT_EQ(before, std::vector<int>(4, 0 + 1 + 2 + 3));
      EXPECT_EQ(after, std::vector<int>(4, real ? 6 : 0));
      for (const double s : seconds) EXPECT_GT(s, 2e-6);  // at least one message's latency either way
    });
}

// Has a communicator while it waits, as real ranks do.
struct OwnedCommunicator {
  MPI_Comm comm = MPI_COMM_NULL;
  explicit OwnedCommunicator(int rank) { MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm); }
  ~OwnedCommunicator() { MPI_Comm_free(&comm); }
  OwnedCommunicator(const OwnedCommunicator&) = delete;
  OwnedCommunicator& operator=(const OwnedCommunicator&) = delete;
};

TEST(Deadlock, IsAFailureThatNamesTheRanks) {
  in_child([] {
    Simulation simulation("crossbar:4", {.ranks = 4});
    const std::string text = text_of<Failure>([&] {
      simulation.run(one_rank_per_host(4), [](int rank) {
        const OwnedCommunicator owned(rank);
        payloads_off(rank);
        charge_compute(0.25);
        char dummy = 0;
        if (rank == 1 || rank == 3) MPI_Recv(&dummy, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
    });
    expect_part(text, "deadlock");
    expect_part(text, "2 of 4 ranks");
    expect_part(text, ": 1, 3");
  });
}

TEST(Exception, OfARankEndsTheOthersAndComesOut) {
  in_child([] {
    Simulation simulation("crossbar:4", {.ranks = 4});
    int unwound = 0;
    struct Counter {
      int& count;
      ~Counter() { ++count; }
    };
    const std::string text = text_of<InputError>([&] {
      simulation.run(one_rank_per_host(4), [&](int rank) {
        const OwnedCommunicator owned(rank);
        const Counter counter{unwound};
        char dummy = 0;
        if (rank == 2) throw InputError("rank two is unhappy");
        MPI_Recv(&dummy, 1, MPI_BYTE, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
    });
    EXPECT_EQ(text, "rank two is unhappy");
    EXPECT_EQ(unwound, 4);
  });
}

TEST(Hosts, TooFewAreCounted) {
  in_child([] {
    Simulation simulation("torus:2x3", {.ranks = 8});
    const std::string text = text_of<InputError>([&] { simulation.run(one_rank_per_host(8), [](int) {}); });
    expect_part(text, "platform 'torus:2x3' has 6 hosts");
    expect_part(text, "8 processes");
  });
}

TEST(Hosts, MakeNodes) {
  in_child([] {
    const Simulation simulation("crossbar:3", {.ranks = 4});
    EXPECT_EQ(simulation.node_of_rank({2, 0, 2, 1}), (std::vector<int>{2, 0, 2, 1}));  // a host is a node
    EXPECT_EQ(simulation.most_ranks_at_once({2, 0, 2, 1}), 2);
    EXPECT_EQ(simulation.node_of_rank({5}), std::vector<int>{5});
  });
}

TEST(Size, FortyThousandRanksStartAndEnd) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "ranks are threads under AddressSanitizer, and these are too many";
#endif
  in_child([] {
    constexpr int ranks = 40'000, hosts = 40;
    Simulation simulation("crossbar:" + std::to_string(hosts), {.ranks = ranks});
    std::vector<int> host_of_rank(ranks);
    for (int rank = 0; rank < ranks; ++rank) host_of_rank[static_cast<std::size_t>(rank)] = rank % hosts;
    std::vector<char> ended(ranks, 0);
    simulation.run(host_of_rank, [&](int rank) { ended[static_cast<std::size_t>(rank)] = 1; });
    EXPECT_EQ(std::accumulate(ended.begin(), ended.end(), 0), ranks);
  });
}

}  // namespace
}  // namespace simtrain
