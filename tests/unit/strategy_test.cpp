// Are strategies read, printed and decided as they say? And do plans of several grids have what they must?
#include "train/strategy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "tests/support/small_networks.hpp"
#include "train/plan.hpp"

namespace simtrain {
namespace {

Network alexnet() { return load_network(SOURCE_DIR "/scenarios/networks/alexnet.json"); }

Plan plan_of(const Network& network, Grid grid, std::int64_t batch, const std::string& strategy) {
  PlanOptions options;
  options.grid = grid;
  options.batch = batch;
  options.algorithm = Algorithm::ring;
  options.strategy = parse_strategy("--strategy", strategy);
  return make_plan(network, options);
}

// The grids of the weighted layers, "conv1:1x8 fc6:4x2".
std::string grids_of_layers(const Network& network, Grid grid, const std::string& text) {
  const auto decided = decide(parse_strategy("--strategy", text), network, grid);
  std::string result;
  for (std::size_t i = 0; i < decided.size(); ++i)
    if (network.layers[i].weighted())
      result += (result.empty() ? "" : " ") + network.layers[i].name + ":" + to_string(decided[i].grid);
  return result;
}

TEST(Strategy, IsReadAndPrinted) {
  for (const std::string text : {"uniform", "conv-batch", "conv*:1x256; fc*:32x8", "fc6:8x32"})
    EXPECT_EQ(to_string(parse_strategy("--strategy", text)), text);
  EXPECT_EQ(to_string(parse_strategy("--strategy", " conv?:1X8;fc* : 4x2 ; ")), "conv?:1x8; fc*:4x2");
}

TEST(Strategy, DecidesByPattern) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  EXPECT_EQ(grids_of_layers(network, {4, 2}, "uniform"), "conv1:4x2 conv2:4x2 fc3:4x2 fc4:4x2");
  EXPECT_EQ(grids_of_layers(network, {4, 2}, "conv-batch"), "conv1:1x8 conv2:1x8 fc3:4x2 fc4:4x2");
  EXPECT_EQ(grids_of_layers(network, {4, 2}, "conv1:2x4; *v*:8x1; ?c4:1x8"), "conv1:2x4 conv2:8x1 fc3:4x2 fc4:1x8");
  EXPECT_EQ(grids_of_layers(network, {4, 2}, "*:2x4"), "conv1:2x4 conv2:2x4 fc3:2x4 fc4:2x4");
}

// ReLU, pooling and flatten are where their input is; what comes before the first weighted layer is where that is.
TEST(Strategy, LayersWithoutWeightsBelongToTheirInput) {
  const Network cnn = network_from_json("small cnn", kSmallCnn), mlp = network_from_json("odd mlp", kOddMlp);
  const auto decided = decide(parse_strategy("--strategy", "conv*:1x8"), cnn, {4, 2});
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(decided[i].grid, (Grid{1, 8})) << cnn.layers[i].name;  // up to flatten
  for (std::size_t i = 7; i < decided.size(); ++i) EXPECT_EQ(decided[i].grid, (Grid{4, 2})) << cnn.layers[i].name;
  EXPECT_EQ(decide(parse_strategy("--strategy", "fc1:2x4"), mlp, {4, 2})[0].grid, (Grid{2, 4}));
}

void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  try {
    decide(parse_strategy("--strategy", text), network, {4, 2});
    FAIL() << text << " was accepted";
  } catch (const InputError& error) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << " lacks " << part;
  }
}

TEST(Strategy, WrongOnesAreRefused) {
  expect_refused("unifrm", {"--strategy", "unifrm", "did you mean 'uniform'"});
  expect_refused("", {"--strategy", "uniform"});
  expect_refused("cnv1:1x8", {"--strategy", "cnv1", "did you mean 'conv1'"});
  expect_refused("relu2:1x8", {"--strategy", "relu2"});  // has no weights
  expect_refused("conv*:1x8;;fc*:8x1", {"--strategy", "LAYERS:GRID"});
  expect_refused("conv*:1y8", {"--strategy", "1y8", "ROWSxCOLUMNS"});
  expect_refused(":1x8", {"--strategy", "LAYERS:GRID"});
  expect_refused("conv*:1x4", {"--strategy", "1x4", "4 processes", "8", "--grid 4x2"});
  expect_refused("conv*:1x8; conv1:8x1", {"--strategy", "conv1", "earlier"});
}

TEST(Strategy, EveryGridMustHaveItsSamples) {
  try {
    plan_of(alexnet(), {32, 16}, 500, "conv-batch");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--batch: 500"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("1x512 of layer 'conv1'"), std::string::npos) << error.what();
  }
}

// A plan whose rules put all layers on --grid is the uniform one.
TEST(MixedPlan, OfOneGridIsTheUniformPlan) {
  const Network network = network_from_json("joins", kJoins);
  const Plan uniform = plan_of(network, {3, 2}, 12, "uniform"), named = plan_of(network, {3, 2}, 12, "*:3x2");
  ASSERT_EQ(uniform.steps.size(), named.steps.size());
  ASSERT_EQ(uniform.tensors.size(), named.tensors.size());
  EXPECT_EQ(memory_of(uniform, {}).total(), memory_of(named, {}).total());
  EXPECT_EQ(messages_of(uniform), messages_of(named));
  for (const Step& step : named.steps) EXPECT_FALSE(std::holds_alternative<RedistributeStep>(step));
}

// conv-batch on 16 x 32, B = 2048: convolutions reduce all of their weights over 512 ranks and exchange nothing else;
// the fully connected layers are as on the grid, but for conv5's all-gather, in whose place there is a redistribution.
TEST(MixedPlan, ConvBatchExchangesWhatFormula8Counts) {
  const Plan plan = plan_of(alexnet(), {16, 32}, 2048, "conv-batch");
  std::map<std::pair<Exchange, int>, std::pair<std::int64_t, int>> found;  // floats of the array, members
  std::vector<std::pair<int, std::string>> moved;
  for (const Step& step : plan.steps)
    if (const auto* collective = std::get_if<CollectiveStep>(&step))
      found[{collective->exchange, collective->row}] = {plan.blocks(*collective, {}).size(),
                                                        plan.group(*collective, {}).size};
    else if (const auto* one = std::get_if<RedistributeStep>(&step))
      moved.emplace_back(one->row, plan.tensors[static_cast<std::size_t>(one->to)].name);
  using Found = std::pair<std::int64_t, int>;
  const std::vector<std::int64_t> convolutions{34'848, 307'200, 884'736, 663'552, 442'368};
  for (int row = 0; row < 5; ++row) {
    EXPECT_EQ(found.at({Exchange::reduce_weights, row}), (Found{convolutions[static_cast<std::size_t>(row)], 512}));
    EXPECT_FALSE(found.contains({Exchange::all_gather, row}));
    EXPECT_FALSE(found.contains({Exchange::reduce_data, row}));
  }
  EXPECT_EQ(found.at({Exchange::all_gather, 5}), (Found{4'096 * 64, 16}));
  EXPECT_EQ(found.at({Exchange::reduce_data, 5}), (Found{9'216 * 64, 16}));
  EXPECT_EQ(found.at({Exchange::reduce_weights, 5}), (Found{37'748'736 / 16, 32}));
  EXPECT_EQ(moved, (std::vector<std::pair<int, std::string>>{{5, "flatten14.Y@16x32"}, {5, "dflatten14.Y"}}));
}

// The sum over ranks of what is multiplied is the serial count, whatever the mix.
TEST(MixedPlan, RanksTogetherDoTheSerialWork) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  const auto work = [&](Grid grid, const std::string& strategy) {
    const Plan plan = plan_of(network, grid, 9, strategy);
    double flops = 0;
    for (int rank = 0; rank < static_cast<int>(grid.size()); ++rank)
      for (const Step& step : plan.steps)
        if (const auto* compute = std::get_if<ComputeStep>(&step))
          flops += gemm_flops(plan.operation(*compute, grid.coordinates(rank)));
    return flops;
  };
  const double serial = work({1, 1}, "uniform");
  for (const std::string strategy : {"conv-batch", "conv1:6x1; conv2:2x3; fc3:1x6", "fc4:1x6; *:6x1"})
    EXPECT_NEAR(work({3, 2}, strategy) / serial, 1, 1e-12) << strategy;
}

// What fc3 reads is kept beside what conv2 put out.
TEST(MixedPlan, CopiesArePartOfMemory) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  const Plan plan = plan_of(network, {4, 2}, 16, "conv-batch");
  double copies = 0, all = 0;
  for (int i = 0; i < static_cast<int>(plan.tensors.size()); ++i) {
    const TensorPlan& tensor = plan.tensors[static_cast<std::size_t>(i)];
    const auto floats = static_cast<double>(plan.floats(i, {}));
    if (tensor.role == Role::activation && tensor.name.ends_with("@4x2")) copies += floats;
    const bool kept = tensor.role != Role::weights && tensor.role != Role::weight_gradient &&
                      tensor.role != Role::momentum && tensor.role != Role::activation_gradient;
    if (kept) all += floats;
  }
  EXPECT_EQ(copies, 6 * 2 * 1 * 8);  // average pooling leaves 6 channels of 2 x 1 pixels; half of 16 samples
  EXPECT_EQ(memory_of(plan, {}).activations, 4 * all);
}

TEST(MixedPlan, CallsCoverEveryRank) {
  const Plan plan = plan_of(network_from_json("small cnn", kSmallCnn), {3, 2}, 11, "conv1:2x3; conv2:1x6");
  const std::vector<Call> calls = calls_of(plan);
  int checked = 0;
  for (int rank = 0; rank < 6; ++rank)
    for (const Step& step : plan.steps)
      if (const auto* compute = std::get_if<ComputeStep>(&step))
        for_each_call(plan.operation(*compute, plan.options.grid.coordinates(rank)),
                      [&](const Call& call, std::int64_t) {
                        ++checked;
                        EXPECT_NE(std::find(calls.begin(), calls.end(), call), calls.end()) << name_of(call.kernel);
                      });
      else if (const auto* moved = std::get_if<RedistributeStep>(&step)) {
        const Redistribution array = plan.redistribution(*moved);
        const ArrayBlock kept = kept_block(array, rank);
        if (kept.empty()) continue;
        ++checked;
        EXPECT_NE(std::find(calls.begin(), calls.end(), Call{Kernel::flatten, array.floats(kept)}), calls.end());
      }
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace simtrain
