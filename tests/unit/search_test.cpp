// Is what a strategy search finds the best of all assignments, by plans of each, and is its price that of all ranks?
#include "train/search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/random.hpp"
#include "tests/support/analytic_cost.hpp"
#include "tests/support/small_networks.hpp"
#include "train/candidates.hpp"
#include "train/cost.hpp"
#include "train/short_rules.hpp"

namespace simtrain {
namespace {

constexpr double kSame = 1e-11;  // relative

// A residual network of four layers with weights; P = 8 cuts its images into eight strips.
const std::string kShortResnet = R"({
  "format": "simtrain-network", "version": 1, "name": "short-resnet",
  "input": {"channels": 4, "height": 8, "width": 4}, "dataset_images": 64, "default_batch": 8,
  "layers": [{"name": "conv1", "type": "convolution", "filters": 8, "kernel": 3, "padding": 1, "bias": false},
             {"type": "batch_norm"}, {"name": "relu1", "type": "relu"},
             {"name": "conv2a", "type": "convolution", "filters": 8, "kernel": 3, "padding": 1},
             {"type": "relu"},
             {"name": "conv2b", "type": "convolution", "filters": 8, "kernel": 1},
             {"type": "add", "inputs": ["conv2b", "relu1"]}, {"name": "relu2", "type": "relu"},
             {"type": "flatten"}, {"name": "fc", "type": "linear", "outputs": 16}]})";

// Joins of linear layers: d alone may be split by columns, and not where all rows are gathered before it.
const std::string kLinearJoins = R"({
  "format": "simtrain-network", "version": 1, "name": "linear-joins",
  "input": {"channels": 12, "height": 1, "width": 1}, "dataset_images": 96, "default_batch": 12,
  "layers": [{"name": "a", "type": "linear", "outputs": 24}, {"name": "ra", "type": "relu"},
             {"name": "b", "type": "linear", "outputs": 24}, {"type": "relu"},
             {"name": "c", "type": "linear", "outputs": 24},
             {"name": "ac", "type": "add", "inputs": ["c", "ra"]}, {"type": "relu"},
             {"name": "d", "type": "linear", "outputs": 12}]})";

// Sizes that every number of ranks up to 8 but 5 and 7 divides: what ranks do is the same.
const std::string kEvenCnn = R"({
  "format": "simtrain-network", "version": 1, "name": "even-cnn",
  "input": {"channels": 24, "height": 24, "width": 4}, "dataset_images": 64, "default_batch": 24,
  "layers": [{"name": "conv1", "type": "convolution", "filters": 24, "kernel": 3, "padding": 1}, {"type": "relu"},
             {"name": "conv2", "type": "convolution", "filters": 48, "kernel": 3, "padding": 1}, {"type": "relu"},
             {"type": "flatten"},
             {"name": "fc3", "type": "linear", "outputs": 24}, {"type": "relu"},
             {"name": "fc4", "type": "linear", "outputs": 24}]})";

struct Prices {
  AnalyticCost model;
  PricedOperations operations{model, 1};
};

struct Case {
  std::string name, network;
  int processes;
  std::int64_t batch;
  AlphaBeta speed;
  double seconds_per_element;
  Gather gather = Gather::after_pooling;
  Algorithm algorithm = Algorithm::automatic;
};

// Slow networks favour what sends little, fast ones what computes little: optima differ.
std::vector<Case> cases() {
  const AlphaBeta slow{1e-6, 1e-7}, quick{1e-9, 1e-11}, far{1e-4, 1e-10};
  return {{"chain, P = 4", kSmallCnn, 4, 8, slow, 1e-9},
          {"chain, P = 6, gathered before pooling", kSmallCnn, 6, 12, quick, 1e-10, Gather::before_pooling},
          {"chain, P = 8, more ranks than samples", kSmallCnn, 8, 4, quick, 1e-9},
          {"linear layers, P = 8, ring", kEvenMlp, 8, 12, slow, 0, Gather::after_pooling, Algorithm::ring},
          {"linear layers of prime sizes, P = 6", kOddMlp, 6, 11, far, 1e-10},
          {"linear joins, P = 4", kLinearJoins, 4, 12, slow, 1e-9},
          {"linear joins, P = 6, gathered before pooling", kLinearJoins, 6, 12, quick, 1e-9, Gather::before_pooling},
          {"residual, P = 4", kSmallResnet, 4, 8, quick, 1e-9},
          {"residual, P = 8", kShortResnet, 8, 8, slow, 1e-9},
          {"three readers, P = 6", kJoins, 6, 8, quick, 1e-9},
          {"three readers, P = 8, gathered before pooling", kJoins, 8, 8, slow, 1e-10, Gather::before_pooling}};
}

PlanOptions options_of(const Case& c) {
  PlanOptions options;
  options.batch = c.batch;
  options.gather = c.gather;
  options.algorithm = c.algorithm;
  return options;
}

void for_each_choice(const StrategySearch& search, const std::function<void(const Choice&)>& visit) {
  Choice choice(search.layers().size(), 0);
  for (std::size_t i = 0; i < choice.size();) {
    visit(choice);
    for (i = 0; i < choice.size(); ++i) {
      if (++choice[i] < static_cast<int>(search.layers()[i].splits.size())) break;
      choice[i] = 0;
    }
  }
}

// Infinity where there is no such plan.
double priced_plan(const StrategySearch& search, const Choice& choice) {
  try {
    double sum = 0;
    for (const double seconds : search.costs().of(search.plan(choice))) sum += seconds;
    return sum;
  } catch (const InputError&) {
    return std::numeric_limits<double>::infinity();
  }
}

// Every assignment is planned on its own: the least, the least without any split of any layer, and every sum.
TEST(StrategySearch, FindsTheBestOfAllAssignments) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Prices prices;
    prices.model.seconds_per_element = c.seconds_per_element;
    const Network network = network_from_json(c.name, c.network);
    const StrategySearch search(network, options_of(c), c.processes, prices.operations, c.speed);
    const Minimum best = search.best();
    double least = std::numeric_limits<double>::infinity(), wrong = 0, assignments = 0;
    std::vector<double> least_without(best.values.size(), least);
    for_each_choice(search, [&](const Choice& choice) {
      const double seconds = priced_plan(search, choice);
      ++assignments;
      ASSERT_EQ(std::isinf(search.seconds(choice)), std::isinf(seconds)) << to_string(search.strategy(choice));
      if (std::isinf(seconds)) return;
      wrong = std::max(wrong, std::abs(search.seconds(choice) / seconds - 1));
      least = std::min(least, seconds);
      for (std::size_t i = 0; i < choice.size(); ++i)
        if (choice[i] != best.values[i]) least_without[i] = std::min(least_without[i], seconds);
    });
    EXPECT_EQ(assignments, search.assignments());
    EXPECT_LT(wrong, kSame);
    EXPECT_NEAR(best.sum / least, 1, kSame);
    EXPECT_NEAR(priced_plan(search, best.values) / least, 1, kSame);
    for (std::size_t i = 0; i < least_without.size(); ++i) {
      const Minimum other = search.best_without(static_cast<int>(i), best.values[i]);
      EXPECT_NE(other.values.at(i), best.values[i]);
      EXPECT_NEAR(other.sum / least_without[i], 1, kSame) << search.layers()[i].name;
    }
  }
}

TEST(Splits, AreThoseThatALayerCanHave) {
  const Network cnn = network_from_json("small cnn", kSmallCnn), joins = network_from_json("joins", kLinearJoins);
  PlanOptions options;
  options.batch = 4;
  const auto text = [&](const Network& network, std::size_t layer) {
    std::string all;
    for (const LayerStrategy& split : splits_of(network, layer, 8, options)) all += to_string(split) + " ";
    return all;
  };
  // 1x8 would be two ranks for a sample. conv1 puts out 11 lines, conv2 three.
  EXPECT_EQ(text(cnn, 0), "2x4 4x2 8x1 domain:2x4 domain:4x2 domain:8x1 ");
  EXPECT_EQ(text(cnn, 3), "2x4 4x2 8x1 domain:2x4 ");
  EXPECT_EQ(text(cnn, 7), "2x4 4x2 8x1 columns:2x4 columns:4x2 columns:8x1 ");
  EXPECT_EQ(text(joins, 0), "2x4 4x2 8x1 ");
  EXPECT_EQ(text(joins, 7), "2x4 4x2 8x1 columns:2x4 columns:4x2 columns:8x1 ");
  options.gather = Gather::before_pooling;
  EXPECT_EQ(text(joins, 7), "2x4 4x2 8x1 ");
}

// Two layers without biases on two ranks, d 2 -> 8 -> 8, 12 samples, computing free, no latency, ring. Bytes that a
// rank sends, 4 a float:
//   fc1 on 1x2   all-reduce of dW, 16 floats: 64           fc1 on 2x1       nothing
//   fc2 on 1x2   the same of 64 floats: 256                fc2 on 2x1       all-reduce of dX, 8 x 12: 384; logits, 4 x
//   12: 192 1x2 -> 2x1   X, 8 x 6: 192; dX, which is whole: 0      fc2 by columns   all-reduce of Y, 8 x 12: 384 2x1 ->
//   1x2   X, 4 x 6: 96; dX, 4 x 6: 96               1x2 -> columns   X, 4 x 6: 96; dX, 4 x 6: 96 2x1 -> 2x1   gather of
//   Y, 4 x 12: 192                  2x1 -> columns   nothing fc1 by columns: all-reduce of Y, 384; to 1x2 nothing goes,
//   and all of dX, 8 x 6, comes back: 192
TEST(StrategySearch, LooksFurtherThanGreedyChoices) {
  const Network network = network_from_json("two", R"({
    "format": "simtrain-network", "version": 1, "name": "two",
    "input": {"channels": 2, "height": 1, "width": 1}, "dataset_images": 96, "default_batch": 12,
    "layers": [{"name": "fc1", "type": "linear", "outputs": 8, "bias": false},
               {"name": "fc2", "type": "linear", "outputs": 8, "bias": false}]})");
  Prices prices;
  prices.model.seconds_per_flop = 0;
  PlanOptions options;
  options.batch = 12;
  options.algorithm = Algorithm::ring;
  const StrategySearch search(network, options, 2, prices.operations, {0, 1});
  ASSERT_EQ(search.layers()[0].splits,
            (std::vector<LayerStrategy>{
                {LayerKind::integrated, {1, 2}}, {LayerKind::integrated, {2, 1}}, {LayerKind::columns, {2, 1}}}));
  constexpr int kBatch = 0, kRows = 1, kColumns = 2;
  EXPECT_DOUBLE_EQ(search.seconds({kBatch, kBatch}), 64 + 256);
  EXPECT_DOUBLE_EQ(search.seconds({kBatch, kRows}), 64 + 192 + 384 + 192);
  EXPECT_DOUBLE_EQ(search.seconds({kBatch, kColumns}), 64 + 96 + 384 + 96);
  EXPECT_DOUBLE_EQ(search.seconds({kRows, kBatch}), 96 + 96 + 256);
  EXPECT_DOUBLE_EQ(search.seconds({kRows, kRows}), 192 + 384 + 192);
  EXPECT_DOUBLE_EQ(search.seconds({kRows, kColumns}), 384);
  EXPECT_DOUBLE_EQ(search.seconds({kColumns, kBatch}), 384 + 192 + 256);
  EXPECT_DOUBLE_EQ(search.seconds({kColumns, kRows}), 384 + 384 + 192);
  EXPECT_TRUE(std::isinf(search.seconds({kColumns, kColumns})));
  // Greedy takes 2x1 for the first layer, which costs nothing there, and then the best for the second: 384.
  const Minimum best = search.best();
  EXPECT_EQ(best.values, (Choice{kBatch, kBatch}));
  EXPECT_DOUBLE_EQ(best.sum, 320);
}

TEST(StrategySearch, RefusesNamesThatRulesCannotHold) {
  Prices prices;
  const auto search = [&](const std::string& first, const std::string& second) {
    std::string text = kEvenMlp;
    text.replace(text.find("fc1"), 3, first);
    text.replace(text.find("fc2"), 3, second);
    PlanOptions options;
    options.batch = 4;
    const StrategySearch made(network_from_json("named", text), options, 2, prices.operations, {});
    return made.assignments();
  };
  EXPECT_EQ(search("fc1", "block:2"), 27);
  for (const auto& [first, second] : {std::pair{"fc*", "fcx"}, {"fc;1", "fc2"}, {"fc1", "a:domain"}, {" fc1", "fc2"}}) {
    try {
      search(first, second);
      ADD_FAILURE() << first << ", " << second;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("cannot write a rule for layer"), std::string::npos) << error.what();
    }
  }
}

// How far the sum over one rank's steps is from the clocks of all ranks, at most, in all assignments or a thousand.
double distance_from_all_ranks(const Case& c, const std::function<bool(const LayerStrategy&)>& looked_at) {
  Prices prices;
  prices.model.seconds_per_element = c.seconds_per_element;
  const StrategySearch search(network_from_json(c.name, c.network), options_of(c), c.processes, prices.operations,
                              c.speed);
  double furthest = 0;
  int compared = 0;
  for_each_choice(search, [&](const Choice& choice) {
    for (std::size_t i = 0; i < choice.size(); ++i)
      if (!looked_at(search.layers()[i].splits[static_cast<std::size_t>(choice[i])])) return;
    if (std::isinf(search.seconds(choice)) || ++compared > 1000) return;
    const double exact = alpha_beta_cost(search.plan(choice), prices.operations, c.speed).iteration_s;
    furthest = std::max(furthest, std::abs(search.seconds(choice) / exact - 1));
  });
  EXPECT_GT(compared, 10) << c.name;
  return furthest;
}

TEST(StrategySearch, SumsAreTheClocksOfAllRanks) {
  const auto integrated = [](const LayerStrategy& split) { return split.kind == LayerKind::integrated; };
  const auto any = [](const LayerStrategy&) { return true; };
  const AlphaBeta speed{1e-6, 1e-9};
  for (const int processes : {4, 6, 8}) {
    const Case even{"even mlp", kEvenMlp, processes, 24, speed, 1e-9};
    const Case images{"even cnn", kEvenCnn, processes, 24, speed, 1e-9};
    const Case odd{"small cnn", kSmallCnn, processes, 11, speed, 1e-9};
    const double mlp = distance_from_all_ranks(even, integrated), cnn = distance_from_all_ranks(images, integrated);
    const double strips = distance_from_all_ranks(images, any), uneven = distance_from_all_ranks(odd, any);
    std::printf("P = %d: even linear layers %.1e, even convolutions %.1e, with strips %.1e, uneven %.1e\n", processes,
                mlp, cnn, strips, uneven);
    const double even_grids = processes == 6 ? 0.01 : 1e-12;  // 2x3 and 3x2 do not lie within each other
    EXPECT_LT(mlp, even_grids);
    EXPECT_LT(cnn, even_grids);
    EXPECT_LT(strips, 0.02);
    EXPECT_LT(uneven, 0.1);
  }
}

TEST(Minimise, IsTheLeastOfAllValues) {
  constexpr std::uint64_t kSeed = 7;
  std::uint64_t drawn = 0;
  const auto draw = [&](int below) {
    return static_cast<int>(random_bits(kSeed, 1, drawn++) % static_cast<unsigned>(below));
  };
  for (int graph = 0; graph < 200; ++graph) {
    std::vector<int> sizes;
    for (int i = 0; i < 5; ++i) sizes.push_back(1 + draw(3));
    std::vector<CostFactor> factors;
    for (int i = 0; i < 6; ++i) {
      CostFactor factor;
      for (int variable = 0; variable < 5; ++variable)
        if (draw(2) == 0 && factor.scope.size() < 3) factor.scope.push_back(variable);
      for (std::size_t k = entries_of(factor.scope, sizes); k > 0; --k)
        factor.table.push_back(draw(8) == 0 ? std::numeric_limits<double>::infinity() : draw(1000));
      factors.push_back(factor);
    }
    std::vector<std::vector<char>> barred(5);
    barred[2].assign(static_cast<std::size_t>(sizes[2]), 0);
    barred[2][0] = 1;
    double least = std::numeric_limits<double>::infinity();
    std::vector<int> values(5, 0);
    for (std::size_t i = 0; i < 5;) {
      if (values[2] != 0) least = std::min(least, sum_of(factors, sizes, values));
      for (i = 0; i < 5; ++i) {
        if (++values[i] < sizes[i]) break;
        values[i] = 0;
      }
    }
    const Minimum found = minimise(factors, sizes, barred);
    EXPECT_EQ(found.sum, least);
    EXPECT_EQ(found.values.empty(), std::isinf(least));
    if (found.values.empty()) continue;
    EXPECT_EQ(sum_of(factors, sizes, found.values), least);
    EXPECT_NE(found.values[2], 0);
  }
}

TEST(Minimise, RefusesTablesThatDoNotFit) {
  const std::vector<int> sizes(9, 10);  // a table of 10^9 entries, as each variable is shared with all others
  std::vector<CostFactor> factors;
  for (int a = 0; a < 9; ++a)
    for (int b = a + 1; b < 9; ++b) factors.push_back({{a, b}, std::vector<double>(100, 1)});
  EXPECT_THROW((void)minimise(factors, sizes), Failure);
}

TEST(Candidates, AreDistinctAndHaveThePlainOnes) {
  Prices prices;
  const AlphaBeta speed{1e-6, 1e-9};
  PlanOptions options;
  options.batch = 8;
  const StrategySearch search(network_from_json("small cnn", kSmallCnn), options, 8, prices.operations, speed);
  const std::vector<Candidate> candidates = candidates_of(search, 8);
  ASSERT_GT(candidates.size(), 5U);
  EXPECT_EQ(candidates[0].choice, search.best().values);
  for (const Grid grid : grids_of(8)) {
    const Choice uniform = *search.choice_of({}, grid);
    EXPECT_TRUE(std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& one) {
      return one.choice == uniform;
    })) << to_string(grid);
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_GE(candidates[i].seconds, candidates[0].seconds);
    EXPECT_NEAR(priced_plan(search, candidates[i].choice) / candidates[i].seconds, 1, kSame);
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(candidates[i].choice, candidates[k].choice);
  }
}

// ---- rules

std::string short_text(const std::vector<std::string>& names, const std::vector<std::string>& splits) {
  std::vector<LayerStrategy> layers;
  for (const std::string& split : splits) {
    const StrategyRule rule = parse_strategy("test", "x:" + split).rules.front();
    layers.push_back({rule.kind, rule.grid});
  }
  return to_string(short_rules(names, layers));
}

TEST(ShortRules, PutAlikeLayersUnderOnePattern) {
  const std::vector<std::string> five{"conv1", "conv2", "conv3", "fc4", "fc5"};
  EXPECT_EQ(short_text(five, {"1x8", "1x8", "1x8", "1x8", "1x8"}), "*:1x8");
  EXPECT_EQ(short_text(five, {"1x8", "1x8", "1x8", "4x2", "4x2"}), "conv*:1x8; fc*:4x2");
  EXPECT_EQ(short_text(five, {"domain:2x4", "1x8", "1x8", "4x2", "8x1"}),
            "conv1:domain:2x4; conv*:1x8; fc5:8x1; fc4:4x2");
  EXPECT_EQ(short_text({"conv1_1", "conv1_2", "conv2_1", "conv2_2", "conv2_3", "fc"},
                       {"domain:2x4", "domain:2x4", "1x8", "1x8", "1x8", "2x4"}),
            "conv1_*:domain:2x4; conv*:1x8; fc:2x4");
  EXPECT_EQ(short_text(five, {"1x8", "1x8", "1x8", "4x2", "columns:4x2"}), "conv*:1x8; fc5:columns:4x2; fc4:4x2");
  EXPECT_EQ(short_text({"a1", "a10", "ab"}, {"1x8", "2x4", "1x8"}), "a10:2x4; a1:1x8; ab:1x8");
}

TEST(ShortRules, DecideWhatTheyStandFor) {
  std::uint64_t drawn = 0;
  for (const char* name : {"alexnet", "vgg16", "resnet50"}) {
    const Network network = load_network(SOURCE_DIR "/scenarios/networks/" + std::string(name) + ".json");
    for (int i = 0; i < 40; ++i) {
      std::vector<std::string> names;
      std::vector<LayerStrategy> splits;
      for (std::size_t layer = 0; layer < network.layers.size(); ++layer) {
        if (!network.layers[layer].weighted()) continue;
        PlanOptions options;
        options.batch = 8;
        std::vector<LayerStrategy> all = splits_of(network, layer, 8, options);
        std::erase_if(all,
                      [](const LayerStrategy& split) { return split.kind == LayerKind::columns; });  // not in a row
        const bool as_before = !splits.empty() && random_bits(3, 0, drawn++) % 4 != 0;
        const LayerStrategy next = all[random_bits(3, 0, drawn++) % all.size()];
        const bool possible = as_before && std::find(all.begin(), all.end(), splits.back()) != all.end();
        splits.push_back(possible ? splits.back() : next);
        names.push_back(network.layers[layer].name);
      }
      const Strategy rules = parse_strategy("test", to_string(short_rules(names, splits)));
      const std::vector<LayerStrategy> decided = decide(rules, network, {1, 8}, 8);
      std::size_t row = 0;
      for (std::size_t layer = 0; layer < network.layers.size(); ++layer)
        if (network.layers[layer].weighted()) {
          EXPECT_EQ(decided[layer], splits[row++]) << to_string(rules);
        }
    }
  }
}

}  // namespace
}  // namespace simtrain
