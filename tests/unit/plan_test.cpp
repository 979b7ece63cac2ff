// Does the plan say what the algorithm and the paper's tables say? Without MPI, up to thousands of ranks.
#include "train/plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "tests/support/small_networks.hpp"

namespace simtrain {
namespace {

Network alexnet() {
  const std::string path = SOURCE_DIR "/scenarios/networks/alexnet.json";
  return load_network(path);
}

Plan alexnet_plan(Grid grid, std::int64_t batch, Gather gather = Gather::after_pooling) {
  PlanOptions options;
  options.grid = grid;
  options.batch = batch;
  options.algorithm = Algorithm::ring;
  options.gather = gather;
  return make_plan(alexnet(), options);
}

// Gholami et al., arXiv 1712.04432, table of AlexNet: |W| and d before pooling.
TEST(Plan, AlexNetHasThePublishedSizes) {
  const std::map<std::string, std::pair<std::int64_t, std::int64_t>> published{
      {"conv1", {34'848, 290'400}}, {"conv2", {307'200, 186'624}}, {"conv3", {884'736, 64'896}},
      {"conv4", {663'552, 64'896}}, {"conv5", {442'368, 43'264}},  {"fc6", {37'748'736, 4'096}},
      {"fc7", {16'777'216, 4'096}}, {"fc8", {4'096'000, 1'000}}};
  const Network network = alexnet();
  std::size_t weighted = 0;
  for (const Layer& layer : network.layers) {
    if (!layer.weighted()) continue;
    ++weighted;
    EXPECT_EQ(layer.weight_count(), published.at(layer.name).first) << layer.name;
    EXPECT_EQ(layer.out.size(), published.at(layer.name).second) << layer.name;
  }
  EXPECT_EQ(weighted, published.size());
}

std::map<std::pair<Exchange, int>, std::int64_t> array_lengths(const Plan& plan) {
  std::map<std::pair<Exchange, int>, std::int64_t> lengths;
  for (const Step& step : plan.steps)
    if (const auto* collective = std::get_if<CollectiveStep>(&step))
      lengths[{collective->exchange, collective->row}] = plan.blocks(*collective, {}).size();
  return lengths;
}

// On 32 x 8 with batch 2048: 256 samples a column.
TEST(Plan, ExchangesTheArraysOfTheAlgorithm) {
  const std::vector<std::int64_t> after_pooling{69'984, 43'264, 64'896, 64'896, 9'216, 4'096, 4'096, 1'000};
  const std::vector<std::int64_t> before_pooling{290'400, 186'624, 64'896, 64'896, 43'264, 4'096, 4'096, 1'000};
  const std::vector<std::int64_t> weights{34'848,  307'200,    884'736,    663'552,
                                          442'368, 37'748'736, 16'777'216, 4'096'000};
  const auto late = array_lengths(alexnet_plan({32, 8}, 2048));
  const auto early = array_lengths(alexnet_plan({32, 8}, 2048, Gather::before_pooling));
  for (int i = 0; i < 8; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(late.at({Exchange::all_gather, i}), after_pooling[at] * 256);
    EXPECT_EQ(early.at({Exchange::all_gather, i}), before_pooling[at] * 256);
    // dX of a layer is as large as its input: the activation, pooled, of the layer before; none for the first.
    EXPECT_EQ(late.contains({Exchange::reduce_data, i}), i > 0);
    if (i > 0) {
      EXPECT_EQ(late.at({Exchange::reduce_data, i}), after_pooling[at - 1] * 256);
    }
    // Rows split evenly by 32 for all but fc8 (1000 rows: rank 0 holds 32 of them, others 31).
    const std::int64_t own = i == 7 ? 32 * 4'096 : weights[at] / 32;
    EXPECT_EQ(late.at({Exchange::reduce_weights, i}), own);
  }
}

TEST(Plan, GroupsOfOneExchangeNothing) {
  for (const auto& [key, length] : array_lengths(alexnet_plan({1, 8}, 64)))
    EXPECT_EQ(key.first, Exchange::reduce_weights);
  for (const auto& [key, length] : array_lengths(alexnet_plan({8, 1}, 64)))
    EXPECT_NE(key.first, Exchange::reduce_weights);
  EXPECT_TRUE(array_lengths(alexnet_plan({1, 1}, 64)).empty());
}

// 2 flops per multiply-add, three products a layer but two for the first: the sum over ranks is the serial count,
// whatever the grid, also where nothing divides.
TEST(Plan, RanksTogetherDoTheSerialWork) {
  const Network network = alexnet();
  const std::int64_t batch = 130;
  double serial = 0;
  bool first = true;
  for (const Layer& layer : network.layers) {
    if (!layer.weighted()) continue;
    const auto products = static_cast<double>(layer.weight_count() * layer.out.pixels() * batch);
    serial += 2 * products * (first ? 2 : 3);
    first = false;
  }
  for (const Grid grid : {Grid{1, 1}, Grid{7, 13}, Grid{97, 3}, Grid{128, 1}, Grid{1, 130}}) {
    const Plan plan = alexnet_plan(grid, batch);
    double total = 0;
    for (int rank = 0; rank < static_cast<int>(grid.size()); ++rank)
      for (const Step& step : plan.steps)
        if (const auto* compute = std::get_if<ComputeStep>(&step))
          total += gemm_flops(plan.operation(*compute, grid.coordinates(rank)));
    EXPECT_NEAR(total / serial, 1, 1e-12) << to_string(grid);
  }
}

// Blocks of the members of a group must agree, or messages would not match.
TEST(Plan, MembersOfAGroupAgreeOnBlocks) {
  const Plan plan = alexnet_plan({48, 85}, 1000);
  for (const Step& step : plan.steps) {
    const auto* collective = std::get_if<CollectiveStep>(&step);
    if (collective == nullptr) continue;
    for (int rank = 0; rank < 48 * 85; ++rank) {
      const Coordinates at = plan.options.grid.coordinates(rank);
      const Group group = plan.group(*collective, at);
      ASSERT_EQ(group.rank(group.me), rank);
      ASSERT_EQ(plan.blocks(*collective, at), plan.blocks(*collective, plan.options.grid.coordinates(group.rank(0))));
      ASSERT_EQ(plan.blocks(*collective, at).parts, group.size);
    }
  }
}

// AlexNet on one rank, in floats of 4 bytes: 61 million weights, as often for gradients and momentum.
TEST(Plan, MemoryOfOneRank) {
  const MemoryUse use = memory_of(alexnet_plan({1, 1}, 2), {});
  const double weights = 34'848 + 307'200 + 884'736 + 663'552 + 442'368 + 37'748'736 + 16'777'216 + 4'096'000;
  EXPECT_EQ(use.weights, 4 * weights);
  EXPECT_EQ(use.gradients, 4 * weights);
  EXPECT_EQ(use.momentum, 4 * weights);
  // Input, every product, every pooled and the flattened activation, for 2 samples; labels, and the loss once.
  const double activations = 2 * (3 * 227 * 227 + 290'400 + 69'984 + 186'624 + 43'264 + 64'896 + 64'896 + 43'264 +
                                  9'216 + 9'216 + 4'096 + 4'096 + 1'000 + 1) +
                             1;
  EXPECT_EQ(use.activations, 4 * activations);
}

TEST(Plan, RefusesABatchSmallerThanPc) {
  try {
    alexnet_plan({2, 8}, 7);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--batch: 7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Pc = 8"), std::string::npos) << error.what();
  }
}

TEST(Plan, CallsCoverEveryRank) {
  PlanOptions options;
  options.grid = {5, 3};
  options.batch = 10;
  options.algorithm = Algorithm::bruck;
  const Plan plan = make_plan(network_from_json("small", kSmallCnn), options);
  const std::vector<Call> calls = calls_of(plan);
  for (int rank = 0; rank < 15; ++rank)
    for (const Step& step : plan.steps)
      if (const auto* compute = std::get_if<ComputeStep>(&step))
        for_each_call(plan.operation(*compute, plan.options.grid.coordinates(rank)),
                      [&](const Call& call, std::int64_t) {
                        EXPECT_NE(std::find(calls.begin(), calls.end(), call), calls.end()) << name_of(call.kernel);
                      });
}

}  // namespace
}  // namespace simtrain
