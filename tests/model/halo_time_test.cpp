// Does a simulated halo exchange take what the alpha-beta model says, and as much less as is computed meanwhile?
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>

#include "kernels/modelled.hpp"
#include "sim/engine/simulation.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/values_in_child.hpp"
#include "train/cost.hpp"
#include "train/halo_exchange.hpp"

namespace simtrain {
namespace {

constexpr double kAlpha = 2e-6, kBandwidth = 6e9, kTolerance = 0.005;
constexpr std::int64_t kChannels = 96, kSamples = 4, kWidth = 27, kHalo = 2;  // AlexNet's conv2, four samples
constexpr double kMessageBytes = 4.0 * kChannels * kSamples * kWidth * kHalo;

Halo halo_of(int strips, bool gradient) {
  const std::int64_t height = 6 * strips;
  const Grid grid{strips, 1};
  return {{.from = {.grid = grid, .rows = {kChannels, 1}, .strips = {height, {height, strips}}},
           .to = {.grid = grid, .rows = {kChannels, 1}, .strips = {height, {height, strips}, 5, 1, kHalo}},
           .batch = kSamples,
           .line_floats = kWidth,
           .lines = height},
          gradient};
}

// When the last rank is done, with so much computed between begin and end.
double simulated_end(const Halo& halo, double computed_s) {
  const int ranks = halo.array.ranks();
  const auto found = values_in_child([&]() -> std::vector<double> {
    double end_s = 0;
    std::vector<int> hosts(static_cast<std::size_t>(ranks));
    std::iota(hosts.begin(), hosts.end(), 0);
    const AnalyticCost free_kernels{};
    PricedOperations prices(free_kernels, 1);
    Simulation simulation("crossbar:" + std::to_string(ranks) + ",bandwidth=6GBps,latency=2us", {.ranks = ranks});
    simulation.run(hosts, [&](int rank) {
      payloads_off(rank);
      ModelledKernels kernels(prices, charge_compute);
      const std::int64_t most = kChannels * kSamples * kWidth * 10;
      const Buffer source = kernels.allocate(most), target = kernels.allocate(most), scratch = kernels.allocate(most);
      HaloExchange exchange(rank);
      exchange.begin(halo, source, target, scratch, kernels, 0);
      charge_compute(computed_s);
      exchange.end(halo, target, scratch, kernels, 0);
      end_s = std::max(end_s, MPI_Wtime());
    });
    return {end_s};
  });
  return found.size() == 1 ? found[0] : 0;
}

// Two strips: one message each way. More: those in the middle have two each way on their links.
TEST(HaloTime, IsTheTimeOfItsMessages) {
  for (const bool gradient : {false, true})
    for (const int strips : {2, 3, 8}) {
      const double expected = kAlpha + (strips == 2 ? 1 : 2) * kMessageBytes / kBandwidth;
      const std::string what = std::to_string(strips) + " strips" + (gradient ? ", gradient" : "");
      expect_ratio_near_one(what, expected, simulated_end(halo_of(strips, gradient), 0), kTolerance);
    }
}

TEST(HaloTime, IsHiddenByComputing) {
  const double message_s = kAlpha + kMessageBytes / kBandwidth;
  expect_ratio_near_one("as much computed", message_s, simulated_end(halo_of(2, false), 0.9 * message_s), kTolerance);
  expect_ratio_near_one("more computed", 3 * message_s, simulated_end(halo_of(2, false), 3 * message_s), kTolerance);
}

}  // namespace
}  // namespace simtrain
