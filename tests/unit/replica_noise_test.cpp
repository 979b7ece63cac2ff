// Do the draws of a replica have the distribution of what was measured, and depend on nothing but what they should?
#include "sim/prediction/replica_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/random.hpp"

namespace simtrain {
namespace {

const Call kSmall{Kernel::gemm_nn, 100, 8, 100};        // measured: a size up to 32
const Call kLarge{Kernel::gemm_nn, 100, 100, 100};      // measured: all sizes above 32
const Call kUnknown{Kernel::gemm_nn, 50, 8, 60};        // not measured, a size up to 32
const Call kUnknownLarge{Kernel::gemm_nn, 50, 60, 70};  // not measured, all sizes above 32
const Call kRelu{Kernel::relu, 1000};                   // measured, once
const Call kUnknownRelu{Kernel::relu, 2000};

// Products: 20 % noise in small ones, 1 % in large ones; a fit whose median error was 10 % on five small samples and
// 3 % on two large ones, 5 % on all. Relu: one repetition, nothing kept aside.
KernelTimes kernel_times() {
  const std::vector<Sample> products{{kSmall, {0.8, 1.0, 1.0, 1.3, 1.0}, false}, {kLarge, {2.0, 1.98, 2.02}, false}};
  const std::vector<Sample> relus{{kRelu, {1.0}, false}};
  KernelFit product(Kernel::gemm_nn, products, std::vector<double>(coefficient_names(Kernel::gemm_nn).size(), 1e-3),
                    {{FitMethod::polynomial, {7, 0.05, 0.2, 0.2}}}, FitMethod::polynomial,
                    {{"a size up to 32", {5, 0.1, 0.2, 0.2}}, {"all sizes above 32", {2, 0.03, 0.05, 0.05}}});
  KernelFit relu(Kernel::relu, relus, {1e-3, 1e-3}, {{FitMethod::polynomial, {}}}, FitMethod::polynomial, {});
  return {"p.json",
          {{Kernel::gemm_nn,
            [products, product] {
              return MeasuredKernel{products, product};
            }},
           {Kernel::relu, [relus, relu] {
              return MeasuredKernel{relus, relu};
            }}}};
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) moments.mean += value / n;
  for (const double value : values) moments.deviation += (value - moments.mean) * (value - moments.mean) / n;
  moments.deviation = std::sqrt(moments.deviation);
  return moments;
}

// The draws are fixed by their seeds; bounds are five standard errors, which a wrong distribution misses by far.
void expect_moments(const std::vector<double>& values, double mean, double deviation, const char* what) {
  const Moments found = moments_of(values);
  const double error = deviation / std::sqrt(static_cast<double>(values.size()));
  std::printf("  %-28s mean %.5f (%.5f), deviation %.5f (%.5f)\n", what, found.mean, mean, found.deviation, deviation);
  EXPECT_NEAR(found.mean, mean, 5 * error) << what;
  EXPECT_NEAR(found.deviation / deviation, 1, 0.05) << what;
}

class ReplicaNoiseTest : public testing::Test {
 protected:
  const KernelTimes times = kernel_times();
  [[nodiscard]] ReplicaNoise replica(int number, std::uint64_t seed = 1, double node_spread = 0) const {
    return {times, "p.json", {.seed = seed, .replica = number, .node_spread = node_spread}};
  }
  static std::vector<double> draws(Noise& noise, const Call& call, std::int64_t runs, int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(noise.factor(call, runs));
    return values;
  }
};

TEST(RandomNormal, HasTheMomentsOfItsDistribution) {
  std::vector<double> values;
  double fourth = 0;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    values.push_back(random_normal(7, 8, i));
    fourth += std::pow(values.back(), 4) / 40'000;
  }
  expect_moments(values, 0, 1, "normal");
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt((105.0 - 9) / 40'000));  // E x^4 = 3, E x^8 = 105
}

// Ratios of the small product: 0.8, 1, 1, 1.3, 1 (mean 1.02); of the large one: 1, 0.99, 1.01.
TEST_F(ReplicaNoiseTest, DrawsWhatWasMeasuredInTheRegion) {
  ReplicaNoise one = replica(0);
  const auto noise = one.of_rank(0, 0);
  const double small = std::sqrt((0.22 * 0.22 + 3 * 0.02 * 0.02 + 0.28 * 0.28) / 5), large = std::sqrt(2e-4 / 3);
  const std::vector<double> values = draws(*noise, kSmall, 1, 20'000);
  for (const double value : values) EXPECT_TRUE(value == 0.8 || value == 1.0 || value == 1.3) << value;
  expect_moments(values, 1.02, small, "small product");
  expect_moments(draws(*noise, kLarge, 1, 20'000), 1, large, "large product");
  // The average of 16 runs has a fourth of the deviation; and it is no cheaper than the runs on average.
  expect_moments(draws(*noise, kSmall, 16, 20'000), 1.02, small / 4, "16 small products");
}

TEST_F(ReplicaNoiseTest, AKernelThatWasNotRepeatedHasTheNoiseOfTheOthers) {
  const ReplicaNoise one = replica(0);
  EXPECT_EQ(one.repetitions(kRelu).ratios.size(), 8U);
  EXPECT_EQ(one.repetitions(kSmall).ratios.size(), 5U);
  const KernelTimes once({{kRelu, {1.0}, false}});
  try {
    const ReplicaNoise noise(once, "once.json", {});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'once.json'"), std::string::npos) << error.what();
  }
}

TEST_F(ReplicaNoiseTest, ProfileErrorHasTheSpreadOfTheFit) {
  std::vector<double> region, kernel, worst;
  for (int i = 0; i < 4'000; ++i) {
    const ReplicaNoise one = replica(i);
    EXPECT_EQ(one.profile_error(kSmall), 1) << "measured";
    region.push_back(std::log(one.profile_error(kUnknown)));
    kernel.push_back(std::log(one.profile_error(kUnknownLarge)));
    worst.push_back(std::log(one.profile_error(kUnknownRelu)));
  }
  expect_moments(region, 0, std::log(1.10) / 0.6745, "error of the region");
  expect_moments(kernel, 0, std::log(1.05) / 0.6745, "too few there: the kernel's");
  expect_moments(worst, 0, std::log(1.05) / 0.6745, "none: that of the others");
  // Half of the factors are within the median error of the fit.
  const auto within = [](double log_factor) { return std::abs(log_factor) < std::log(1.10); };
  EXPECT_NEAR(static_cast<double>(std::count_if(region.begin(), region.end(), within)) / 4000, 0.5, 0.04);
}

TEST_F(ReplicaNoiseTest, WhereNothingWasKeptAsideTheErrorIsNotMadeUp) {
  const KernelTimes unjudged({{kRelu, {1.0, 1.1}, false}});
  const ReplicaNoise noise(unjudged, "p.json", {});
  EXPECT_EQ(noise.profile_error(kRelu), 1);
  EXPECT_THROW((void)noise.profile_error(kUnknownRelu), InputError);
}

TEST_F(ReplicaNoiseTest, NodesDifferByTheSpreadAndRanksOfANodeDoNot) {
  const ReplicaNoise one = replica(3, 1, 0.02);
  std::vector<double> logs;
  for (int node = 0; node < 4'000; ++node) logs.push_back(std::log(one.node_factor(node)));
  expect_moments(logs, 0, 0.02, "nodes");

  const KernelTimes steady({{kRelu, {1.0, 1.0}, false}});
  ReplicaNoise nodes(steady, "p.json", {.seed = 1, .replica = 3, .node_spread = 0.02});
  EXPECT_EQ(nodes.of_rank(5, 7)->factor(kRelu, 1), nodes.of_rank(6, 7)->factor(kRelu, 1));
  EXPECT_EQ(nodes.of_rank(5, 7)->factor(kRelu, 1), one.node_factor(7)) << "whatever else the profile holds";
  EXPECT_NE(one.node_factor(7), one.node_factor(8));
}

TEST_F(ReplicaNoiseTest, WithoutAnySpreadEveryFactorIsOne) {
  const KernelTimes steady({{kRelu, {3.0, 3.0, 3.0}, false}});
  ReplicaNoise noise(steady, "p.json", {.seed = 1, .replica = 0, .node_spread = 0});
  for (const double factor : draws(*noise.of_rank(1, 1), kRelu, 3, 10)) EXPECT_EQ(factor, 1);
}

// Two simulations of the same replica, whatever their grids and the order in which ranks compute.
TEST_F(ReplicaNoiseTest, DependsOnSeedAndReplicaButNotOnOrder) {
  ReplicaNoise one = replica(4, 9, 0.01), other = replica(4, 9, 0.01);
  const auto a0 = one.of_rank(0, 0), a1 = one.of_rank(1, 1);
  const auto b1 = other.of_rank(1, 1), b0 = other.of_rank(0, 0);
  std::vector<double> first, second;
  for (int i = 0; i < 50; ++i) {  // in turn
    first.push_back(a0->factor(kSmall, 1));
    second.push_back(a1->factor(kUnknown, 1));
  }
  EXPECT_EQ(draws(*b1, kUnknown, 1, 50), second);  // one after the other
  EXPECT_EQ(draws(*b0, kSmall, 1, 50), first);
  EXPECT_NE(first, second);
  for (const ReplicaNoise& different : {replica(5, 9, 0.01), replica(4, 10, 0.01)}) {
    EXPECT_NE(different.profile_error(kUnknown), one.profile_error(kUnknown));
    EXPECT_NE(different.node_factor(0), one.node_factor(0));
  }
  EXPECT_EQ(other.profile_error(kUnknown), one.profile_error(kUnknown));
  EXPECT_NE(other.profile_error({Kernel::gemm_nn, 50, 8, 61}), one.profile_error(kUnknown)) << "another call";
}

// Calls that differ in any size at all have errors of their own; the rank's draws are the same ones.
TEST_F(ReplicaNoiseTest, EverySizeOfACallCounts) {
  const auto first_draw = [&](const Call& call) { return draws(*replica(0).of_rank(0, 0), call, 1, 1)[0]; };
  for (const Call& other : {Call{Kernel::gemm_nn, 51, 8, 60}, Call{Kernel::gemm_nn, 50, 9, 60},
                            Call{Kernel::gemm_nn, 50, 8, 61}, Call{Kernel::gemm_nn, 50, 8, 60, 3}})
    EXPECT_NE(first_draw(kUnknown), first_draw(other)) << other.m << " " << other.n << " " << other.k;
  EXPECT_EQ(first_draw(kUnknown), first_draw(kUnknown));
}

}  // namespace
}  // namespace simtrain
