// Messages of collectives without SMPI: what takes place by MPI calls is the expectation.
#include "sim/engine/direct_messages.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"
#include "kernels/modelled.hpp"
#include "sim/engine/compat.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/values_in_child.hpp"
#include "train/collective.hpp"

namespace simtrain {
namespace {

struct Case {
  const char* platform;
  Grid grid;
  Algorithm algorithm;
  std::int64_t floats;
  int ranks_per_host = 1;
  std::int64_t largest_message_bytes = kLargestMessageBytes;
};

// For each rank when it ended and what it sent, then what each link carried, after all-reduces over the grid's columns
// and rows that begin when each rank has computed for a time of its own.
std::vector<double> outcome(const Case& job, bool direct) {
  return values_in_child([&]() -> std::vector<double> {
    Simulation simulation(job.platform, {.ranks = job.grid.size()});
    std::vector<int> hosts(static_cast<std::size_t>(job.grid.size()));
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) hosts[rank] = static_cast<int>(rank) / job.ranks_per_host;
    std::unique_ptr<DirectMessages> messages;
    if (direct) messages = DirectMessages::make(simulation, hosts);
    const AnalyticCost cost;
    PricedOperations prices(cost, 1);
    std::vector<double> values(3 * hosts.size());
    simulation.run(hosts, [&](int rank) {
      Collectives collectives(job.grid, job.grid.coordinates(rank), false, job.largest_message_bytes);
      collectives.send_by(messages.get());
      payloads_off(rank);
      ModelledKernels kernels(prices, charge_compute);
      const Buffer data = kernels.allocate(job.floats), scratch = kernels.allocate(job.floats);
      simulation.align();
      simulation.count_from_now();
      charge_compute(1e-4 * (rank * 37 % 101));
      double* mine = &values[3 * static_cast<std::size_t>(rank)];
      for (const auto& [scope, members] : {std::pair{Collectives::Scope::grid_column, job.grid.rows},
                                           std::pair{Collectives::Scope::grid_row, job.grid.columns}}) {
        const CollectiveTraffic traffic = collectives.run(CollectiveOp::all_reduce, job.algorithm, scope, data,
                                                          {job.floats, members}, scratch, kernels, 0);
        mine[1] += static_cast<double>(traffic.messages);
        mine[2] += static_cast<double>(traffic.bytes_sent);
      }
      mine[0] = simulation.clock_s();
    });
    values.insert(values.end(), simulation.carried_bytes().begin(), simulation.carried_bytes().end());
    return values;
  });
}

// Where SimGrid has no such flows, make() says so, and there is nothing else to test.
class DirectMessagesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!compat::kHasFlows) GTEST_SKIP() << "this SimGrid has no flows that a listener is told of";
  }
};

// With groups that are powers of two and not, blocks of unequal length, segments that wrap around, messages in pieces,
// and two ranks on a host.
TEST_F(DirectMessagesTest, AreAsLongAsThoseOfSmpi) {
  for (const Case& job :
       {Case{"crossbar:12", {4, 3}, Algorithm::ring, 1001}, Case{"crossbar:12", {12, 1}, Algorithm::bruck, 50'000},
        Case{"crossbar:16", {4, 4}, Algorithm::rabenseifner, 65'536},
        Case{"crossbar:15", {5, 3}, Algorithm::recursive_doubling, 65'536},
        Case{"crossbar:6", {6, 1}, Algorithm::bruck, 10'000, 1, 4 * 700},
        Case{"torus:4x4", {16, 1}, Algorithm::ring, 16'000}, Case{"torus:4x2", {4, 4}, Algorithm::ring, 16'000, 2}}) {
    SCOPED_TRACE(std::string(job.platform) + " " + to_string(job.grid) + " " + std::string(name_of(job.algorithm)));
    const std::vector<double> by_mpi = outcome(job, false), direct = outcome(job, true);
    ASSERT_EQ(by_mpi.size(), direct.size());
    for (std::size_t i = 0; i < by_mpi.size(); ++i) EXPECT_NEAR(direct[i], by_mpi[i], 1e-9 * by_mpi[i]) << i;
  }
}

// 1 MiB to the right over links of their own: latency + (n + 16) / bandwidth.
TEST_F(DirectMessagesTest, TakeLatencyAndBytesOverBandwidth) {
  const double seconds = values_in_child([]() -> std::vector<double> {
    Simulation simulation("torus:4,bandwidth=1GBps,latency=1us", {.ranks = 4});
    const std::vector<int> hosts{0, 1, 2, 3};
    const auto messages = DirectMessages::make(simulation, hosts);
    double end_s = 0;
    simulation.run(hosts, [&](int rank) {
      simulation.align();
      const double begin_s = simulation.clock_s();
      messages->exchange(rank, (rank + 1) % 4, {{Segment{0, 1 << 18}}}, (rank + 3) % 4, 1 << 20);
      end_s = simulation.clock_s() - begin_s;
    });
    return {end_s};
  })[0];
  EXPECT_NEAR(seconds, 1e-6 + ((1 << 20) + 16) / 1e9, 1e-12);
}

TEST_F(DirectMessagesTest, WithoutAnAnswerAreADeadlock) {
  const double told = values_in_child([]() -> std::vector<double> {
    Simulation simulation("crossbar:2", {.ranks = 2});
    const std::vector<int> hosts{0, 1};
    const auto messages = DirectMessages::make(simulation, hosts);
    try {
      simulation.run(hosts, [&](int rank) {
        if (rank == 0) messages->exchange(0, 1, {{Segment{0, 8}}}, -1, 8);
      });
    } catch (const Failure& failure) {
      return {std::string(failure.what()).find("deadlocked") != std::string::npos ? 1.0 : 0.0};
    }
    return {0};
  })[0];
  EXPECT_EQ(told, 1);
}

TEST_F(DirectMessagesTest, EndWithARankThatFails) {
  const double told = values_in_child([]() -> std::vector<double> {
    Simulation simulation("crossbar:3", {.ranks = 3});
    const std::vector<int> hosts{0, 1, 2};
    const auto messages = DirectMessages::make(simulation, hosts);
    try {
      simulation.run(hosts, [&](int rank) {
        if (rank == 2) {
          charge_compute(1e-3);
          throw InputError("rank 2");
        }
        messages->exchange(rank, 2, {{Segment{0, 8}}}, -1, 8);
      });
    } catch (const InputError& error) {
      return {error.what() == std::string("rank 2") ? 1.0 : 0.0};
    }
    return {0};
  })[0];
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace simtrain
