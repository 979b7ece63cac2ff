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

constexpr std::int64_t kBatch = 12;

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
  const auto decided = decide(parse_strategy("--strategy", text), network, grid, kBatch);
  std::string result;
  for (std::size_t i = 0; i < decided.size(); ++i)
    if (network.layers[i].weighted())
      result += (result.empty() ? "" : " ") + network.layers[i].name + ":" + to_string(decided[i].grid);
  return result;
}

TEST(Strategy, IsReadAndPrinted) {
  for (const std::string text : {"uniform", "conv-batch", "pair", "domain", "conv*:1x256; fc*:32x8", "fc6:8x32",
                                 "conv*:domain:8x512; fc*:64x64", "fc6:32x8; fc7:columns:32x8"})
    EXPECT_EQ(to_string(parse_strategy("--strategy", text)), text);
  EXPECT_EQ(to_string(parse_strategy("--strategy", "conv* : domain : 2x4;fc*:integrated:4x2")),
            "conv*:domain:2x4; fc*:4x2");
  EXPECT_EQ(to_string(parse_strategy("--strategy", "block:1*:2x4")), "block:1*:2x4");  // a name with a colon
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
  const auto decided = decide(parse_strategy("--strategy", "conv*:1x8"), cnn, {4, 2}, kBatch);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_EQ(decided[i].grid, (Grid{1, 8})) << cnn.layers[i].name;  // up to flatten
  for (std::size_t i = 7; i < decided.size(); ++i) EXPECT_EQ(decided[i].grid, (Grid{4, 2})) << cnn.layers[i].name;
  EXPECT_EQ(decide(parse_strategy("--strategy", "fc1:2x4"), mlp, {4, 2}, kBatch)[0].grid, (Grid{2, 4}));
}

// What comes out of strips is flattened where it is read; all else is where its input is.
TEST(Strategy, DomainIsForConvolutionsAndWhatFollowsThem) {
  const Network cnn = network_from_json("small cnn", kSmallCnn);
  const auto decided = decide(parse_strategy("--strategy", "conv*:domain:2x4"), cnn, {4, 2}, kBatch);
  const LayerStrategy strips{LayerKind::domain, {2, 4}}, grid{LayerKind::integrated, {4, 2}};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(decided[i], strips) << cnn.layers[i].name;
  ASSERT_EQ(cnn.layers[6].type, LayerType::flatten);
  for (std::size_t i = 6; i < decided.size(); ++i) EXPECT_EQ(decided[i], grid) << cnn.layers[i].name;
}

// As few strips as the batch allows.
TEST(Strategy, DomainCutsWhatTheBatchCannot) {
  EXPECT_EQ(domain_grid(512, 512), (Grid{1, 512}));
  EXPECT_EQ(domain_grid(1024, 512), (Grid{2, 512}));
  EXPECT_EQ(domain_grid(4096, 512), (Grid{8, 512}));
  EXPECT_EQ(domain_grid(12, 5), (Grid{3, 4}));
  EXPECT_EQ(domain_grid(7, 5), (Grid{7, 1}));
  const Network cnn = network_from_json("small cnn", kSmallCnn);
  const Strategy domain = parse_strategy("--strategy", "domain");
  EXPECT_EQ(decide(domain, cnn, {4, 2}, 4).front(), (LayerStrategy{LayerKind::domain, {2, 4}}));
  EXPECT_EQ(decide(domain, cnn, {4, 2}, 8), decide(parse_strategy("--strategy", "conv-batch"), cnn, {4, 2}, 8));
}

// The kinds of the layers with weights, "iicc".
std::string kinds_of_layers(const std::string& text, Grid grid, const std::string& strategy) {
  const Network network = network_from_json("network", text);
  const auto decided = decide(parse_strategy("--strategy", strategy), network, grid, kBatch);
  std::string kinds;
  for (std::size_t i = 0; i < decided.size(); ++i)
    if (network.layers[i].weighted()) kinds += name_of(decided[i].kind)[0];
  return kinds;
}

// Two by two, as far as one reads what the other puts out.
TEST(Strategy, PairsConsecutiveLinearLayers) {
  EXPECT_EQ(kinds_of_layers(kEvenMlp, {4, 2}, "pair"), "ici");
  EXPECT_EQ(kinds_of_layers(kSmallCnn, {4, 2}, "pair"), "iiic");
  EXPECT_EQ(kinds_of_layers(kJoins, {4, 2}, "pair"), "iiii");
  EXPECT_EQ(kinds_of_layers(kPairs, {4, 2}, "pair"), "icciic");  // b and h both read a; c reads a join of theirs
  EXPECT_EQ(kinds_of_layers(kEvenMlp, {1, 8}, "pair"), "iii");   // one row has all columns
  const Network cnn = network_from_json("small cnn", kSmallCnn);
  const auto pair = decide(parse_strategy("--strategy", "pair"), cnn, {4, 2}, kBatch);
  const auto conv_batch = decide(parse_strategy("--strategy", "conv-batch"), cnn, {4, 2}, kBatch);
  for (std::size_t i = 0; i < pair.size(); ++i) EXPECT_EQ(pair[i].grid, conv_batch[i].grid) << cnn.layers[i].name;
}

// The second of a pair must not be normalised: that takes rows of Y.
TEST(Strategy, PairsAvoidBatchNormalisation) {
  const auto with = [](const std::string& after_a, const std::string& after_b) {
    return R"({"format": "simtrain-network", "version": 1, "name": "n",
      "input": {"channels": 8, "height": 1, "width": 1}, "dataset_images": 64, "default_batch": 8,
      "layers": [{"name": "a", "type": "linear", "outputs": 8},)" +
           after_a + R"({"name": "b", "type": "linear", "outputs": 8},)" + after_b +
           R"({"name": "c", "type": "linear", "outputs": 4}]})";
  };
  const std::string norm = R"({"type": "batch_norm"},)";
  EXPECT_EQ(kinds_of_layers(with("", ""), {4, 2}, "pair"), "ici");
  EXPECT_EQ(kinds_of_layers(with(norm, ""), {4, 2}, "pair"), "ici");
  EXPECT_EQ(kinds_of_layers(with("", norm), {4, 2}, "pair"), "iic");
  EXPECT_THROW(kinds_of_layers(with("", norm), {4, 2}, "b:columns:4x2"), InputError);
}

void expect_refused(const std::string& text, const std::vector<std::string>& parts) {
  const Network network = network_from_json("small cnn", kSmallCnn);
  try {
    decide(parse_strategy("--strategy", text), network, {4, 2}, kBatch);
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
  expect_refused("*:domain:2x4", {"--strategy", "'fc3'", "linear"});
  expect_refused("conv*:domain:4x2", {"--strategy", "'conv2'", "3 rows", "4 strips", "domain:4x2"});
  expect_refused("conv*:domain:2x2", {"--strategy", "2x2", "4 processes"});
  expect_refused("conv*:domian:2x4", {"--strategy: kind 'domian'", "did you mean 'domain'"});
  expect_refused("conv1:columns:4x2", {"--strategy", "'conv1'", "convolution", "linear layers"});
  expect_refused("fc*:columns:4x2", {"--strategy", "'fc4'", "'fc3'", "expected an integrated layer"});
  expect_refused("fc3:colums:4x2", {"--strategy: kind 'colums'", "did you mean 'columns'"});
  expect_refused("pairs", {"--strategy", "did you mean 'pair'"});
  expect_refused("domain:2x4", {"--strategy", "domain"});
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
  for (const std::string strategy :
       {"conv-batch", "conv1:6x1; conv2:2x3; fc3:1x6", "fc4:1x6; *:6x1", "conv*:domain:3x2",
        "conv1:domain:6x1; conv2:2x3", "pair", "conv*:domain:3x2; fc3:columns:6x1; fc4:columns:2x3"})
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

void expect_calls_to_cover(const Plan& plan) {
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
      } else if (const auto* halo = std::get_if<HaloStep>(&step))
        for_each_operation(plan.halo(*halo), rank, [&](const Operation& operation) {
          for_each_call(operation, [&](const Call& call, std::int64_t) {
            ++checked;
            EXPECT_NE(std::find(calls.begin(), calls.end(), call), calls.end()) << name_of(call.kernel);
          });
        });
  EXPECT_GT(checked, 100);
}

TEST(MixedPlan, CallsCoverEveryRank) {
  for (const std::string strategy :
       {"conv1:2x3; conv2:1x6", "conv1:domain:6x1; conv2:domain:3x2", "pair", "fc3:columns:6x1; fc4:columns:2x3"})
    expect_calls_to_cover(plan_of(network_from_json("small cnn", kSmallCnn), {3, 2}, 11, strategy));
}

// Two strips of the 11 lines of conv1's input, which is first: halos forward for it, pooling, conv2 and pooling, and
// back for all but conv1. Weights are whole on all 4 ranks. Between pooling and flatten lies the redistribution.
TEST(DomainPlan, ExchangesHalosAndReducesWholeWeights) {
  const Plan plan = plan_of(network_from_json("small cnn", kSmallCnn), {2, 2}, 8, "conv*:domain:2x2");
  std::map<bool, int> begun, ended;  // by gradient
  std::vector<std::string> moved;
  const HaloStep* open = nullptr;
  for (const Step& step : plan.steps) {
    if (const auto* halo = std::get_if<HaloStep>(&step)) {
      const bool begins = halo->stage == HaloStep::Stage::begin;
      EXPECT_EQ(begins, open == nullptr);
      ++(begins ? begun : ended)[halo->gradient];
      open = begins ? halo : nullptr;
    } else if (const auto* collective = std::get_if<CollectiveStep>(&step);
               collective != nullptr && collective->row < 2) {
      EXPECT_EQ(collective->exchange, Exchange::reduce_weights);
      EXPECT_EQ(plan.group(*collective, {}).size, 4);
      const Layer& layer =
          plan.network.layers[static_cast<std::size_t>(plan.report_layers[static_cast<std::size_t>(collective->row)])];
      EXPECT_EQ(plan.blocks(*collective, {}).size(), layer.weight_count() + (layer.bias ? layer.out.channels : 0));
    } else if (const auto* one = std::get_if<RedistributeStep>(&step)) {
      moved.push_back(plan.tensors[static_cast<std::size_t>(one->from)].name + " to " +
                      plan.tensors[static_cast<std::size_t>(one->to)].name);
    }
  }
  EXPECT_EQ(begun, (std::map<bool, int>{{false, 4}, {true, 3}}));
  EXPECT_EQ(ended, begun);
  ASSERT_EQ(moved.size(), 2U);
  EXPECT_NE(moved[0].find("@2x2"), std::string::npos) << moved[0];
  // A halo is hidden behind the inside of a convolution, and back behind the gradient of its weights.
  const auto action_after = [&](int which_halo) -> const ComputeStep* {
    for (std::size_t i = 0; i < plan.steps.size(); ++i)
      if (std::holds_alternative<HaloStep>(plan.steps[i]) && which_halo-- == 0)
        return std::get_if<ComputeStep>(&plan.steps[i + 1]);
    return nullptr;
  };
  ASSERT_NE(action_after(0), nullptr);
  EXPECT_EQ(action_after(0)->action, Action::convolution_interior);
}

// 11 lines in strips of 4, 4, 3; conv1 sees one line more at each side that has a neighbour.
TEST(DomainPlan, HoldsStripsAndWhatTheySee) {
  const Plan plan = plan_of(network_from_json("small cnn", kSmallCnn), {3, 2}, 8, "conv*:domain:3x2");
  const auto floats = [&](const std::string& name, int rank) {
    for (int i = 0; i < static_cast<int>(plan.tensors.size()); ++i)
      if (plan.tensors[static_cast<std::size_t>(i)].name == name)
        return plan.floats(i, plan.options.grid.coordinates(rank));
    return std::int64_t{-1};
  };
  const std::int64_t line = 3 * 4 * 9;  // channels, samples of a column, width
  EXPECT_EQ(floats("X", 0), 4 * line);
  EXPECT_EQ(floats("X", 2), 3 * line);
  EXPECT_EQ(floats("conv1.X", 0), 5 * line);
  EXPECT_EQ(floats("conv1.X", 1), 6 * line);
  EXPECT_EQ(floats("conv1.X", 2), 4 * line);
  EXPECT_EQ(floats("conv1.W", 0), 8 * (27 + 1));
  EXPECT_EQ(floats("conv1.W", 5), 8 * (27 + 1));
  // The rank in the middle needs most.
  EXPECT_GT(largest_memory_of(plan).total(), memory_of(plan, {}).total());
  EXPECT_EQ(largest_memory_of(plan).total(), memory_of(plan, {1, 0}).total());
}

TEST(DomainPlan, CannotTrainBatchNormalisationOverStrips) {
  const Network network = network_from_json("small resnet", kSmallResnet);
  const Plan plan = plan_of(network, {2, 1}, 8, "conv*:domain:2x1");
  EXPECT_GT(messages_of(plan), 0);  // predicted it can be
  try {
    check_trainable(plan);
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("2 strips"), std::string::npos) << error.what();
  }
}

// A batch of 512 on 1024 to 4096 ranks: figure 10.
TEST(DomainPlan, TakesMoreRanksThanSamples) {
  for (const int strips : {2, 4, 8}) {
    const Plan plan = plan_of(alexnet(), {64, 8 * strips}, 512, "domain");
    EXPECT_EQ(plan.strategies.front(), (LayerStrategy{LayerKind::domain, {strips, 512}}));
    EXPECT_EQ(plan.strategies.back(), (LayerStrategy{LayerKind::integrated, {64, 8 * strips}}));
  }
}

}  // namespace
}  // namespace simtrain
