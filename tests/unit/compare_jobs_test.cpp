// Which results can be compared, what is said of how they differ, and what are they called?
#include <gtest/gtest.h>

#include <functional>

#include "base/error.hpp"
#include "report/compare.hpp"
#include "tests/support/compared_results.hpp"

namespace simtrain {
namespace {

TEST(Compare, TheNativeOneIsTheReference) {
  const auto names = [](const NamedResult& a, const NamedResult& b) {
    const Comparison comparison = compare(a, b);
    return std::vector<std::string>{comparison.reference.label, comparison.reference.path, comparison.other.label,
                                    comparison.other.path};
  };
  const std::vector<std::string> expected{"native", "native.json", "simulated", "simulated.json"};
  EXPECT_EQ(names(native(), simulated()), expected);
  EXPECT_EQ(names(simulated(), native()), expected);
  NamedResult another = simulated();
  another.path = "another.json";
  EXPECT_EQ(names(simulated(), another),
            (std::vector<std::string>{"simulated", "simulated.json", "another", "another.json"}));
  EXPECT_EQ(names(native(), native()), (std::vector<std::string>{"A", "native.json", "B", "native.json"}));
  EXPECT_EQ(comparison_to_text(compare(native(), simulated())), comparison_to_text(compare(simulated(), native())));
}

TEST(Compare, RefusesEachKindOfDifferentJob) {
  struct Case {
    std::function<void(Result&)> change;
    std::string expected;
  };
  const std::vector<Case> cases{
      {[](Result& r) { r.job.network = "huge"; }, "network 'tiny' and 'huge'"},
      {[](Result& r) { r.job.batch = 65; }, "batch '64' and '65'"},
      {[](Result& r) { r.job.grid_rows = 2; }, "grid '4x2' and '2x2'"},
      {[](Result& r) { r.job.grid_columns = 3; }, "grid '4x2' and '4x3'"},
      {[](Result& r) { r.job.strategy = "domain"; }, "strategy 'uniform' and 'domain'"},
      {[](Result& r) { r.job.collectives = "ring"; }, "collectives 'auto' and 'ring'"},
      {[](Result& r) { r.job.gather = "before-pooling"; }, "gather 'after-pooling' and 'before-pooling'"},
      {[](Result& r) { r.job.momentum = 0; }, "momentum 'used' and 'none'"},
      {[](Result& r) { r.job.dropout = false; }, "dropout 'yes' and 'no'"},
      {[](Result& r) { r.layers.pop_back(); }, "number of layers '2' and '1'"},
      {[](Result& r) { r.layers[1].name = "c"; }, "layer 2 'b (linear 128 -> 10)' and 'c (linear 128 -> 10)'"},
      {[](Result& r) { r.layers[1].kind = "linear 128 -> 11"; }, "and 'b (linear 128 -> 11)'"},
      {[](Result& r) { r.layers[0].all_gather.algorithm = "bruck"; },
       "all-gather Y of a 'ring over 4' and 'bruck over 4'"},
      {[](Result& r) { r.layers[1].reduce_data = {.algorithm = "none", .seconds = {}, .bytes_sent = {}}; },
       "all-reduce dX of b 'ring over 4' and 'none'"},
      {[](Result& r) { r.layers[1].reduce_weights.group_size = 3; },
       "all-reduce dW of b 'bruck over 2' and 'bruck over 3'"}};
  for (const Case& one : cases) {
    NamedResult other = simulated();
    one.change(other.result);
    try {
      (void)compare(native(), other);
      ADD_FAILURE() << "not refused: " << one.expected;
    } catch (const InputError& error) {
      const std::string text = error.what();
      for (const std::string& part : {std::string("'native.json'"), std::string("'simulated.json'"), one.expected})
        EXPECT_NE(text.find(part), std::string::npos) << text;
      EXPECT_EQ(text.find(';'), text.rfind(';')) << "only what differs: " << text;
    }
  }
}

TEST(Compare, RefusalNamesAllThatDiffersInTheOrderGiven) {
  NamedResult other = simulated();
  other.result.job.batch = 128;
  other.result.job.grid_columns = 8;
  try {
    (void)compare(other, native());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "results 'simulated.json' and 'native.json' are of different jobs: batch '128' and '64'; grid '4x8' "
                 "and '4x2'; expected the same in both");
  }
}

TEST(Compare, MentionsWhatMayDiffer) {
  struct Case {
    std::function<void(Result&)> change;
    Mention expected;
  };
  const std::vector<Case> cases{
      {[](Result& r) { r.job.seed = 7; }, {"seed", "18446744073709551615", "7"}},
      {[](Result& r) { r.job.placement = "row-major"; }, {"placement", "column-major", "row-major"}},
      {[](Result& r) { r.job.numerics = "real"; }, {"numerics", "phantom", "real"}},
      {[](Result& r) { r.job.learning_rate = 0.2; }, {"learning rate", "0.1", "0.2"}},
      {[](Result& r) { r.job.momentum = 0.5; }, {"momentum", "0.9", "0.5"}},
      {[](Result& r) { r.job.weight_decay = 0; }, {"weight decay", "0.0005", "0"}},
      {[](Result& r) { r.job.iterations = 3; }, {"iterations", "2", "3"}},
      {[](Result& r) { r.job.warm_up = 0; }, {"warm-up", "1", "0"}},
      {[](Result& r) { r.job.data = "mnist"; }, {"data", "synthetic", "mnist"}},
      {[](Result& r) { r.job.shuffled = true; }, {"shuffling", "no", "yes"}},
      {[](Result& r) { r.job.learning_rate_schedule = "cosine"; }, {"learning-rate schedule", "constant", "cosine"}},
      {[](Result& r) { r.job.epoch_images = 1; }, {"images of an epoch", "6400", "1"}},
      {[](Result& r) { r.version = "1.2.4"; }, {"version", "1.2.3", "1.2.4"}},
      {[](Result& r) { r.platform->name = "mesh.xml"; }, {"platform", "torus.xml", "mesh.xml"}},
      {[](Result& r) { r.profile->name = "mine"; }, {"profile", "default", "mine"}},
      {[](Result& r) { r.profile->cpu = "Other CPU"; }, {"CPU", "Some CPU", "Other CPU"}},
      {[](Result& r) { r.profile->blas = "BLIS"; }, {"BLAS", "OpenBLAS 0.3.21", "BLIS"}},
      {[](Result& r) { r.profile->compute_scale = 2; }, {"compute scale", "1", "2"}}};
  for (const Case& one : cases) {
    NamedResult other = simulated();
    one.change(other.result);
    const Comparison comparison = compare(simulated(), other);
    ASSERT_EQ(comparison.mentions.size(), 1U) << one.expected.what;
    EXPECT_EQ(comparison.mentions[0].what, one.expected.what);
    EXPECT_EQ(comparison.mentions[0].reference, one.expected.reference);
    EXPECT_EQ(comparison.mentions[0].other, one.expected.other);
  }
  NamedResult loose = native();
  loose.result.native->binding = "not bound";
  loose.result.native->threads_per_rank = 2;
  const std::vector<Mention> mentions = compare(native(), loose).mentions;
  ASSERT_EQ(mentions.size(), 2U);
  EXPECT_EQ(mentions[0].what + mentions[0].reference + mentions[0].other, "threads per rank12");
  EXPECT_EQ(mentions[1].what, "binding");
  EXPECT_EQ(mentions[1].other, "not bound");
  // 0.9 is the same number after a detour through single precision.
  NamedResult rounded = simulated();
  rounded.result.job.momentum = static_cast<double>(0.9F);
  EXPECT_TRUE(compare(simulated(), rounded).mentions.empty());
}

TEST(Compare, TwoPredictionsMayBeOfDifferentJobs) {
  NamedResult other = simulated();
  other.path = "other.json";
  other.result.job.grid_rows = 2;
  other.result.job.grid_columns = 4;
  other.result.job.batch = 128;
  const Comparison comparison = compare(simulated(), other);
  EXPECT_EQ(comparison.reference.label, "4x2");
  EXPECT_EQ(comparison.other.label, "2x4");
  ASSERT_EQ(comparison.job_differences.size(), 2U);
  EXPECT_EQ(comparison.job_differences[0].what + " " + comparison.job_differences[0].other, "batch 128");
  EXPECT_EQ(comparison.job_differences[1].what + " " + comparison.job_differences[1].other, "grid 2x4");
  const std::string text = comparison_to_text(comparison);
  EXPECT_NE(text.find("4x2 trains 914 images/s, 2x4 1 829"), std::string::npos) << text;  // 64 and 128 in 70 ms
}

TEST(Compare, LabelsTellTwoPredictionsApartIfTheyAreShort) {
  const auto labels = [](const std::function<void(Result&)>& change) {
    NamedResult other = simulated();
    change(other.result);
    const Comparison comparison = compare(simulated(), other);
    return comparison.reference.label + " / " + comparison.other.label;
  };
  EXPECT_EQ(labels([](Result& r) { r.job.strategy = "domain"; }), "uniform / domain");
  EXPECT_EQ(labels([](Result& r) { r.job.batch = 32; }), "batch 64 / batch 32");
  EXPECT_EQ(labels([](Result& r) { r.platform->name = "fat-tree.xml"; }), "torus.xml / fat-tree.xml");
  EXPECT_EQ(labels([](Result& r) { r.job.strategy = "a:2x4; b:4x2; c:8x1"; }), "A / B");
  EXPECT_EQ(labels([](Result& r) { r.job.seed = 3; }), "A / B");
  NamedResult rules = simulated(), domain = simulated();
  rules.result.job.strategy = "conv*:1x256; fc6:columns:32x8";
  rules.path = "somewhere/columns.json";
  domain.path = "domain";
  EXPECT_EQ(compare(domain, rules).other.label, "columns");
  EXPECT_EQ(compare(domain, rules).reference.label, "domain");
}

TEST(Compare, MentionsPlacementRanksPerHostAndSlowParts) {
  NamedResult other = simulated();
  other.result = with_machine(other.result);
  other.result.job.placement = "random:7";
  const std::vector<Mention> mentions = compare(simulated(), other).mentions;
  ASSERT_EQ(mentions.size(), 3U);
  EXPECT_EQ(mentions[0].what + ": " + mentions[0].other, "placement: random:7");
  EXPECT_EQ(mentions[1].what + ": " + mentions[1].reference + ", " + mentions[1].other, "ranks per host: 1, 4");
  EXPECT_EQ(mentions[2].what + ": " + mentions[2].reference + ", " + mentions[2].other,
            "slow parts: none, 2 drawn hosts=0.5 (seed 7)");
}

TEST(Compare, TwoPredictionsMustBeOfOneNetwork) {
  NamedResult other = simulated();
  other.result.layers[1].kind = "linear 128 -> 11";
  try {
    (void)compare(simulated(), other);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("of different networks: layer 2 'b (linear 128 -> 10)'"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace simtrain
