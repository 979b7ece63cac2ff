// Several ranks on a host: its cores, its link and its memory are shared. Times are worked out by hand.
#include <gtest/gtest.h>
#include <smpi/smpi.h>

#include <filesystem>

#include "base/files.hpp"
#include "sim/prediction/facts.hpp"
#include "sim/prediction/machine.hpp"
#include "tests/simulated/in_child.hpp"

namespace simtrain {
namespace {

// Two hosts of so many cores, joined by 1 GB/s and 1 us; loopback 10 GB/s and 100 ns.
std::string write_platform(int cores) {
  const std::string path = "shared_hosts_" + std::to_string(cores) + ".xml";
  write_file(path,
             "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
             "<platform version='4.1'><cluster id='c' prefix='node-' suffix='' radical='0-1' speed='1Gf' core='" +
                 std::to_string(cores) +
                 "' sharing_policy='SPLITDUPLEX' bw='1GBps' lat='500ns' loopback_bw='10GBps' "
                 "loopback_lat='100ns'/></platform>\n");
  return path;
}

// When each rank has computed `seconds`, on host_of_rank of a platform whose hosts have so many cores.
std::vector<double> computed(int cores, const std::vector<int>& host_of_rank, const std::vector<double>& seconds) {
  Simulation simulation("./" + write_platform(cores), {.ranks = static_cast<std::int64_t>(host_of_rank.size())});
  std::vector<double> end_s(host_of_rank.size());
  simulation.run(host_of_rank, [&](int rank) {
    payloads_off(rank);
    simulation.align();
    const double begin = MPI_Wtime();
    charge_compute(seconds[static_cast<std::size_t>(rank)]);
    end_s[static_cast<std::size_t>(rank)] = MPI_Wtime() - begin;
  });
  return end_s;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
}

TEST(SharedCores, TwoRanksOnOneCoreTakeTwiceAsLong) {
  in_child([] { expect_near(computed(1, {0, 0, 1}, {1, 1, 1}), {2, 2, 1}); });
}

TEST(SharedCores, AsManyRanksAsCoresDoNotSlowEachOtherDown) {
  in_child([] { expect_near(computed(2, {0, 0, 1}, {1, 1, 1}), {1, 1, 1}); });
}

// Three on two cores: two thirds each until the shortest has its 1 s, after 1.5 s; then a core each.
TEST(SharedCores, AreSharedFairly) {
  in_child([] { expect_near(computed(2, {0, 0, 0}, {1, 2, 2}), {1.5, 2.5, 2.5}); });
}

TEST(SharedCores, CountOnceInTheLoadOfTheProfile) {
  in_child([] {
    const Simulation simulation("./" + write_platform(2), {.ranks = 4});
    EXPECT_EQ(simulation.cores_of(0), 2);
    EXPECT_EQ(simulation.most_ranks_at_once({0, 0, 0, 1}), 2);  // the third waits for a core
    EXPECT_EQ(simulation.most_ranks_at_once({0, 1}), 1);
    EXPECT_TRUE(is_uniform(simulation, {}, {0, 0, 1}));      // cores enough
    EXPECT_FALSE(is_uniform(simulation, {}, {0, 0, 0, 1}));  // three on two cores, one on two
    EXPECT_TRUE(is_uniform(simulation, {}, {0, 0, 0, 1, 1, 1}));
    EXPECT_FALSE(is_uniform(simulation, {{{0, 0.5}}, {}}, {0, 1}));
    EXPECT_TRUE(is_uniform(simulation, {{{0, 0.5}}, {}}, {1, 1}));  // the slow one is idle
    EXPECT_FALSE(is_uniform(simulation, {{}, {{0, 0.5}}}, {0, 1}));
  });
}

// Ranks 0, 1 on the first host send 1 MB each to ranks 2, 3 on the second: half of its link each. Rank 0 to 1:
// loopback.
TEST(SharedLink, OfAHostIsSharedByItsRanks) {
  in_child([] {
    Simulation simulation("./" + write_platform(4), {.ranks = 4});
    std::vector<double> seconds(4);
    simulation.run({0, 0, 1, 1}, [&](int rank) {
      payloads_off(rank);
      simulation.align();
      char dummy = 0;
      const int bytes = 1'000'000 - kEnvelopeBytes;
      const double begin = MPI_Wtime();
      if (rank < 2) MPI_Send(&dummy, bytes, MPI_BYTE, rank + 2, 0, MPI_COMM_WORLD);
      if (rank >= 2) MPI_Recv(&dummy, bytes, MPI_BYTE, rank - 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank >= 2) seconds[static_cast<std::size_t>(rank)] = MPI_Wtime() - begin;
      simulation.align();
      const double again = MPI_Wtime();
      if (rank == 0) MPI_Send(&dummy, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      if (rank == 1) MPI_Recv(&dummy, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) seconds[1] = MPI_Wtime() - again;
    });
    EXPECT_NEAR(seconds[2], 1e-6 + 2e6 / 1e9, 1e-9);
    EXPECT_NEAR(seconds[3], 1e-6 + 2e6 / 1e9, 1e-9);
    EXPECT_NEAR(seconds[1], 100e-9 + 1e6 / 10e9, 1e-9);
  });
}

// Rank memory differs: 5 outputs over 2 rows are 3 and 2.
TEST(SharedMemory, OfAHostHoldsAllItsRanks) {
  PlanOptions options;
  options.grid = {2, 2};
  options.batch = 8;
  const Plan plan = make_plan(load_network(SOURCE_DIR "/scenarios/networks/mlp.json"), options);
  const auto bytes = [&](int rank) { return memory_of(plan, options.grid.coordinates(rank)).total(); };
  MemoryResult memory;
  add_host_memory(plan, {0, 1, 2, 3}, memory);
  EXPECT_EQ(memory.ranks_on_host, 1);
  add_host_memory(plan, {0, 0, 0, 1}, memory);
  EXPECT_EQ(memory.ranks_on_host, 3);
  EXPECT_DOUBLE_EQ(memory.together(), bytes(0) + bytes(1) + bytes(2));
}

}  // namespace
}  // namespace simtrain
