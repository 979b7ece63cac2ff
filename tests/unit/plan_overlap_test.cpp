// Is communication where it can run behind computing, and nothing else changed?
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "tests/support/overlap_cases.hpp"
#include "tests/support/small_networks.hpp"
#include "train/plan.hpp"

namespace simtrain {
namespace {

const std::string kTwoLayers = R"({
  "format": "simtrain-network", "version": 1, "name": "two-layers",
  "input": {"channels": 8, "height": 1, "width": 1}, "dataset_images": 64, "default_batch": 8,
  "layers": [{"name": "a", "type": "linear", "outputs": 12, "bias": false}, {"type": "relu"},
             {"name": "b", "type": "linear", "outputs": 4, "bias": false}]})";

Plan plan_of(const std::string& network, Grid grid, const OverlapOptions& overlap,
             Algorithm algorithm = Algorithm::ring, Strategy::Kind strategy = Strategy::Kind::uniform) {
  PlanOptions options;
  options.grid = grid;
  options.batch = 8;
  options.algorithm = algorithm;
  options.overlap = overlap;
  options.strategy.kind = strategy;
  return make_plan(network_from_json("network", network), options);
}

// "F0 =Y0 ...": products forward, dX, dW; updates U; collectives (Y gathered or S summed, X, W) at once (=), begun (+)
// and waited for (-).
std::string text_of(const Plan& plan) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  for (const Step& step : plan.steps) {
    if (const auto* compute = std::get_if<ComputeStep>(&step)) {
      const std::string row = std::to_string(compute->row);
      if (compute->action == Action::linear_forward) add("F" + row);
      if (compute->action == Action::linear_data_gradient) add("dX" + row);
      if (compute->action == Action::linear_weight_gradient) add("dW" + row);
      if (compute->action == Action::update) add("U" + row);
    } else if (const auto* collective = std::get_if<CollectiveStep>(&step)) {
      const char* what = collective->exchange == Exchange::all_gather      ? "Y"
                         : collective->exchange == Exchange::reduce_data   ? "X"
                         : collective->exchange == Exchange::reduce_output ? "S"
                                                                           : "W";
      add((collective->course == Course::at_once ? "=" : "+") + (what + std::to_string(collective->row)));
    } else if (const auto* wait = std::get_if<WaitStep>(&step)) {
      add(wait->course == Course::beside ? "-X" : "-W");
    }
  }
  return text;
}

TEST(OverlappedPlan, BeginsWhatIsIndependentAndWaitsWhereItIsNeeded) {
  const Grid grid{2, 2};
  EXPECT_EQ(text_of(plan_of(kTwoLayers, grid, {})), "F0 =Y0 F1 =Y1 dX1 dW1 =X1 =W1 U1 dW0 =W0 U0");
  EXPECT_EQ(text_of(plan_of(kTwoLayers, grid, {Overlap::gradients, Progress::ideal, 1})),
            "F0 =Y0 F1 =Y1 dX1 dW1 =X1 +W1 dW0 +W0 -W U1 -W U0");
  EXPECT_EQ(text_of(plan_of(kTwoLayers, grid, {Overlap::all, Progress::ideal, 1})),
            "F0 =Y0 F1 =Y1 dX1 +X1 dW1 -X +W1 dW0 +W0 -W U1 -W U0");
  // Both layers in one bucket, which begins with the gradient that comes last and has the first one's row.
  EXPECT_EQ(text_of(plan_of(kTwoLayers, grid, {Overlap::all, Progress::ideal, 1 << 20})),
            "F0 =Y0 F1 =Y1 dX1 +X1 dW1 -X dW0 +W1 -W U1 U0");
  // Nobody to share weights with: updates stay where they are.
  EXPECT_EQ(text_of(plan_of(kTwoLayers, {4, 1}, {Overlap::gradients, Progress::ideal, 1})),
            "F0 =Y0 F1 =Y1 dX1 dW1 =X1 U1 dW0 U0");
  EXPECT_EQ(text_of(plan_of(kTwoLayers, {1, 1}, {Overlap::all, Progress::ideal, 1})), "F0 F1 dX1 dW1 U1 dW0 U0");
}

// A pair's sum of outputs is needed at once; gradients of weights are shared as any others.
TEST(OverlappedPlan, OfAPairWaitsForOutputsOnly) {
  const auto text = [](const OverlapOptions& overlap) {
    return text_of(plan_of(kTwoLayers, {2, 2}, overlap, Algorithm::ring, Strategy::Kind::pair));
  };
  EXPECT_EQ(text({}), "F0 F1 =S1 dX1 dW1 =W1 U1 dW0 =W0 U0");
  for (const Overlap overlap : {Overlap::gradients, Overlap::all})
    EXPECT_EQ(text({overlap, Progress::ideal, 1}), "F0 F1 =S1 dX1 dW1 +W1 dW0 +W0 -W U1 -W U0");
}

TEST(OverlappedPlan, GathersBehindWhatDoesNotRead) {
  // Both branches read the stem; "after" needs all of "left", which can come while "right" is computed.
  const std::string branches = R"({
    "format": "simtrain-network", "version": 1, "name": "branches",
    "input": {"channels": 8, "height": 1, "width": 1}, "dataset_images": 64, "default_batch": 8,
    "layers": [{"name": "stem", "type": "linear", "outputs": 8, "bias": false},
               {"name": "left", "type": "linear", "outputs": 8, "bias": false},
               {"name": "right", "type": "linear", "outputs": 8, "bias": false, "input": "stem"},
               {"name": "after", "type": "linear", "outputs": 8, "bias": false, "input": "left"},
               {"type": "add", "inputs": ["after", "right"]},
               {"name": "last", "type": "linear", "outputs": 4, "bias": false}]})";
  const Plan plan = plan_of(branches, {2, 1}, {Overlap::all, Progress::ideal, 1});
  const std::string expected = "F0 =Y0 F1 +Y1 F2 -X F3 =Y";
  EXPECT_EQ(text_of(plan).substr(0, expected.size()), expected);
}

// Bytes that a rank of 1x2 has of AlexNet's gradients, in MiB: fc8 15.6, fc7 64, fc6 144, the convolutions
// together 8.9.
TEST(OverlappedPlan, FillsBuckets) {
  PlanOptions options;
  options.grid = {1, 2};
  options.batch = 8;
  const Network alexnet = load_network(SOURCE_DIR "/scenarios/networks/alexnet.json");
  const auto rows = [&](std::int64_t mib) {
    options.overlap = {Overlap::gradients, Progress::ideal, mib << 20};
    std::vector<std::vector<int>> found;
    for (const Bucket& bucket : make_plan(alexnet, options).buckets) found.push_back(bucket.rows);
    return found;
  };
  using Rows = std::vector<std::vector<int>>;
  EXPECT_EQ(rows(25), (Rows{{7}, {6}, {5}, {4, 3, 2, 1, 0}}));
  EXPECT_EQ(rows(80), (Rows{{7, 6}, {5}, {4, 3, 2, 1, 0}}));
  EXPECT_EQ(rows(160), (Rows{{7, 6}, {5, 4, 3, 2, 1, 0}}));
  EXPECT_EQ(rows(1000), (Rows{{7, 6, 5, 4, 3, 2, 1, 0}}));
}

TEST(OverlappedPlan, KeepsLayersOfDifferentGridsApart) {
  PlanOptions options;
  options.grid = {2, 4};
  options.batch = 8;
  options.strategy = {.kind = Strategy::Kind::conv_batch};
  options.overlap = {Overlap::gradients, Progress::ideal, 1 << 30};
  const Plan plan = make_plan(load_network(SOURCE_DIR "/scenarios/networks/alexnet.json"), options);
  ASSERT_EQ(plan.buckets.size(), 2U);
  EXPECT_EQ(plan.buckets[0].rows, (std::vector<int>{7, 6, 5}));
  EXPECT_EQ(plan.buckets[1].rows, (std::vector<int>{4, 3, 2, 1, 0}));
}

// All floats of all weight gradients, in the order of the bucket, to the ranks that had them before.
TEST(OverlappedPlan, ReducesWhatItReducedBefore) {
  for (const std::string& network : {kEvenMlp, kSmallCnn, kJoins})
    for (const Grid grid : {Grid{2, 4}, Grid{3, 2}, Grid{1, 8}})
      for (const OverlapOptions& overlap : overlap_cases()) {
        const Plan before = plan_of(network, grid, {}), after = plan_of(network, grid, overlap);
        EXPECT_EQ(before.tensors.size(), after.tensors.size());
        for (int rank = 0; rank < grid.size(); ++rank) {
          const Coordinates at = grid.coordinates(rank);
          const auto floats = [&](const Plan& plan, Exchange exchange) {
            std::int64_t sum = 0;
            double shares = 0;
            for (const Step& step : plan.steps)
              if (const auto* collective = std::get_if<CollectiveStep>(&step);
                  collective != nullptr && collective->exchange == exchange) {
                const std::int64_t all = plan.blocks(*collective, at).size();
                sum += all;
                plan.for_each_share(*collective, at,
                                    [&](int, double share) { shares += share * static_cast<double>(all); });
              }
            EXPECT_NEAR(shares, static_cast<double>(sum), 1e-6);
            return sum;
          };
          for (const Exchange exchange : {Exchange::all_gather, Exchange::reduce_data, Exchange::reduce_weights})
            EXPECT_EQ(floats(before, exchange), floats(after, exchange)) << describe(overlap);
        }
      }
}

// Every collective that is begun is waited for, in order; what it works on is touched by nobody meanwhile, and it
// begins after whoever wrote it last.
TEST(OverlappedPlan, TouchesNothingThatIsUnderWay) {
  for (const std::string& network : {kEvenMlp, kOddMlp, kSmallCnn, kJoins})
    for (const Grid grid : {Grid{2, 2}, Grid{4, 1}, Grid{1, 4}})
      for (const OverlapOptions& overlap : overlap_cases()) {
        const Plan plan = plan_of(network, grid, overlap);
        std::vector<const CollectiveStep*> beside, background;
        const auto busy = [&](int tensor) {
          const auto works_on = [&](const CollectiveStep* one) {
            if (one->bucket < 0) return one->tensor == tensor;
            const auto& tensors = plan.buckets[static_cast<std::size_t>(one->bucket)].tensors;
            return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
          };
          return std::any_of(beside.begin(), beside.end(), works_on) ||
                 std::any_of(background.begin(), background.end(), works_on);
        };
        std::size_t updates = 0;
        for (const Step& step : plan.steps) {
          if (const auto* compute = std::get_if<ComputeStep>(&step)) {
            for (const TensorRef& operand : compute->operands)
              EXPECT_FALSE(operand.tensor >= 0 && busy(operand.tensor)) << describe(overlap);
            updates += compute->work == Work::update ? 1 : 0;
          } else if (const auto* collective = std::get_if<CollectiveStep>(&step)) {
            EXPECT_FALSE(busy(collective->tensor));
            if (collective->course == Course::background) background.push_back(collective);
            if (collective->course == Course::background) continue;
            EXPECT_TRUE(beside.empty());  // one at a time
            if (collective->course == Course::beside) beside.push_back(collective);
          } else if (const auto* wait = std::get_if<WaitStep>(&step)) {
            auto& lane = wait->course == Course::beside ? beside : background;
            ASSERT_FALSE(lane.empty());
            lane.erase(lane.begin());
          }
        }
        EXPECT_TRUE(beside.empty() && background.empty());
        EXPECT_EQ(updates, plan.report_layers.size());
      }
}

TEST(OverlapOptions, AreParsed) {
  EXPECT_EQ(parse_overlap("--overlap", "gradients"), Overlap::gradients);
  EXPECT_EQ(parse_progress("--progress", "polling"), Progress::polling);
  EXPECT_THROW(parse_overlap("--overlap", "gradient"), InputError);
  EXPECT_THROW(parse_progress("--progress", "idle"), InputError);
}

}  // namespace
}  // namespace simtrain
