// Does the plan say what the algorithm and the paper's tables say? Without MPI, up to thousands of ranks.
#include "train/plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "tests/support/small_networks.hpp"
#include "train/merged.hpp"

namespace simtrain {
namespace {

Network alexnet() {
  const std::string path = SOURCE_DIR "/scenarios/networks/alexnet.json";
  return load_network(path);
}

Plan alexnet_plan(Grid grid, std::int64_t batch, Gather gather = Gather::after_pooling,
                  const std::string& strategy = "uniform") {
  PlanOptions options;
  options.grid = grid;
  options.batch = batch;
  options.algorithm = Algorithm::ring;
  options.gather = gather;
  options.strategy = parse_strategy("--strategy", strategy);
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

// Bytes that rank 0 sends by rings for rows [first, last] of the report, but for weights.
std::int64_t bytes_sent(const Plan& plan, int first, int last) {
  std::int64_t bytes = 0;
  for (const Step& step : plan.steps)
    if (const auto* collective = std::get_if<CollectiveStep>(&step);
        collective != nullptr && collective->exchange != Exchange::reduce_weights && collective->row >= first &&
        collective->row <= last)
      bytes +=
          traffic_of(collective->operation, collective->algorithm, plan.blocks(*collective, {}), 0, 1 << 28).bytes_sent;
  return bytes;
}

// fc6 and fc7 as a pair on 32 x 8, 256 samples a column: Y6 stays where it is, Y7 is summed, and dX7 is nobody's
// business.
TEST(Plan, APairExchangesOneOutput) {
  const std::string pair = "fc7:columns:32x8";
  for (const Gather gather : {Gather::after_pooling, Gather::before_pooling}) {
    const auto lengths = array_lengths(alexnet_plan({32, 8}, 2048, gather, pair));
    for (const Exchange none : {Exchange::all_gather, Exchange::reduce_output})
      EXPECT_FALSE(lengths.contains({none, 5}));
    EXPECT_EQ(lengths.at({Exchange::reduce_data, 5}), 9'216 * 256);
    EXPECT_EQ(lengths.at({Exchange::reduce_output, 6}), 4'096 * 256);
    for (const Exchange none : {Exchange::all_gather, Exchange::reduce_data}) EXPECT_FALSE(lengths.contains({none, 6}));
    EXPECT_EQ(lengths.at({Exchange::reduce_weights, 6}), 16'777'216 / 32);
    EXPECT_EQ(lengths.at({Exchange::all_gather, 7}), 1'000 * 256);  // of logits: fc8 is integrated
    EXPECT_EQ(lengths.at({Exchange::reduce_data, 7}), 4'096 * 256);
  }
  // A ring sends 31/32 of an array to gather it and twice as much to reduce it. dX6 has 9 MiB, Y6, Y7 and dX7 4 MiB
  // each.
  constexpr std::int64_t kPart = (std::int64_t{1} << 20) / 32 * 31;
  EXPECT_EQ(bytes_sent(alexnet_plan({32, 8}, 2048), 5, 6), (2 * 9 + 4 + 4 + 2 * 4) * kPart);
  EXPECT_EQ(bytes_sent(alexnet_plan({32, 8}, 2048, Gather::after_pooling, pair), 5, 6), (2 * 9 + 2 * 4) * kPart);
  // With conv-batch's convolutions that is the strategy named pair.
  const Plan named = alexnet_plan({32, 8}, 2048, Gather::after_pooling, "pair"),
             rules = alexnet_plan({32, 8}, 2048, Gather::after_pooling, "conv*:1x256; " + pair);
  EXPECT_EQ(named.strategies, rules.strategies);
  EXPECT_EQ(array_lengths(named), array_lengths(rules));
}

// Where the input comes from another grid, a rank is sent its own rows of it alone: 1/4 of what an integrated layer
// gets.
TEST(Plan, LayersSplitByColumnsAreSentTheirRows) {
  const auto moved = [](const std::string& strategy) {
    const Plan plan = alexnet_plan({4, 2}, 64, Gather::after_pooling, strategy);
    std::vector<std::int64_t> floats;
    for (const Step& step : plan.steps)
      if (const auto* one = std::get_if<RedistributeStep>(&step)) {
        const Redistribution array = plan.redistribution(*one);
        std::int64_t received = array.floats(kept_block(array, 0));
        for (int round = next_round(array, 0, 0); round < 8; round = next_round(array, 0, round))
          received += array.floats(transfer_of(array, 0, round).receive);
        floats.push_back(received);
      }
    return floats;
  };
  // fc6 reads 9 216 values of 32 samples, and conv5 gets the gradient of all values of its 8 samples.
  EXPECT_EQ(moved("conv*:1x8"), (std::vector<std::int64_t>{9'216 * 32, 9'216 * 8}));
  EXPECT_EQ(moved("conv*:1x8; fc6:columns:4x2"), (std::vector<std::int64_t>{9'216 / 4 * 32, 9'216 * 8}));
  // The gradient of an output that is whole comes back whole.
  EXPECT_EQ(moved("fc7:columns:4x2; fc8:2x4; *:4x2"), (std::vector<std::int64_t>{4'096 * 16, 4'096 * 32}));
}

// Floats of a rank of 5 x 2: all rows of its columns of W, and the biases of its own rows. Of 21 -> 23 -> 2 -> 5, fc2
// has no biases; fc1 reads an image of one channel, which falls into features.
TEST(Plan, ColumnsOfWeightsAddUp) {
  const auto floats = [](const std::string& strategy, int row) {
    PlanOptions options;
    options.grid = {5, 2};
    options.batch = 11;
    options.strategy = parse_strategy("--strategy", strategy);
    const Plan plan = make_plan(network_from_json("odd mlp", kOddMlp), options);
    std::vector<std::int64_t> by_rank;
    for (int rank = 0; rank < 10; ++rank)
      by_rank.push_back(plan.floats(plan.weights[static_cast<std::size_t>(row)], options.grid.coordinates(rank)));
    return by_rank;
  };
  using Floats = std::vector<std::int64_t>;
  EXPECT_EQ(floats("fc1:columns:5x2", 0), (Floats{120, 97, 97, 96, 96, 120, 97, 97, 96, 96}));  // 5 or 4 columns
  EXPECT_EQ(floats("fc2:columns:5x2", 1), (Floats{10, 10, 10, 8, 8, 10, 10, 10, 8, 8}));        // 23 columns, twice
  EXPECT_EQ(floats("fc3:columns:10x1", 2), (Floats{6, 6, 1, 1, 1, 0, 0, 0, 0, 0}));  // 2 columns, 5 biases, 10 rows
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
