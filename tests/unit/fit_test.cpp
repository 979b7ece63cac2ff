// Fits: do they find what made the timings, and judge themselves rightly?
#include "calibrate/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "calibrate/least_squares.hpp"

namespace simtrain {
namespace {

// A node whose matrix products take 1 us + 0.5 ns a C, 0.2 ns an A, 0.1 ns a B element + 0.02 ns a multiply-add.
double node_s(const Call& call) {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n), k = static_cast<double>(call.k);
  return 1e-6 + 0.5e-9 * m * n + 0.2e-9 * m * k + 0.1e-9 * n * k + 0.02e-9 * m * n * k;
}

// Sizes from 1 to 1024, logarithmic, multiples of 8 where `tiles` (so that no strip is left over).
Call random_call(std::uint64_t i, bool tiles) {
  const auto size = [&](std::uint64_t stream) {
    const auto any = static_cast<std::int64_t>(std::pow(1024.0, static_cast<double>(random_unit(3, stream, i))));
    return tiles ? (any + 7) / 8 * 8 : any;
  };
  return {Kernel::gemm_nn, size(0), size(1), size(2)};
}

// Five repetitions of `count` distinct calls, each off by up to `noise`; every fourth is kept aside.
template <typename Seconds>
std::vector<Sample> synthetic(std::uint64_t count, double noise, bool tiles, const Seconds& seconds) {
  std::vector<Sample> samples;
  std::unordered_map<Call, int, CallHash> seen;
  for (std::uint64_t i = 0; samples.size() < count; ++i) {
    Sample sample{random_call(i, tiles), {}, samples.size() % 4 == 3};
    if (seen[sample.call]++ > 0) continue;
    for (std::uint64_t repetition = 0; repetition < 5; ++repetition)
      sample.seconds.push_back(seconds(sample.call) *
                               (1 + noise * static_cast<double>(random_symmetric(5, i, repetition))));
    samples.push_back(sample);
  }
  return samples;
}

TEST(LeastSquares, SolvesExactly) {
  // 2*x0 + 3*x1 = 1 in every row, with x = (0.2, 0.2)
  const std::vector<double> x = relative_least_squares({{2, 3}, {1, 4}, {5, 0}});
  ASSERT_EQ(x.size(), 2U);
  EXPECT_NEAR(x[0], 0.2, 1e-12);
  EXPECT_NEAR(x[1], 0.2, 1e-12);
}

TEST(LeastSquares, NeverNegative) {
  // Unconstrained the solution is (2, -1); with x >= 0 it is (x0, 0), x0 = sum a / sum a^2 = (1 + 2)/(1 + 4).
  const std::vector<double> x = relative_least_squares({{1, 1}, {2, 3}});
  EXPECT_NEAR(x[0], 3.0 / 5, 1e-12);
  EXPECT_EQ(x[1], 0);
}

TEST(LeastSquares, DependentAndEmptyColumns) {
  const std::vector<double> x = relative_least_squares({{1, 2, 0}, {2, 4, 0}});
  for (const double value : x) EXPECT_GE(value, 0);
  EXPECT_EQ(x[2], 0);
  EXPECT_NEAR(x[0] + 2 * x[1], 3.0 / 5, 1e-9);
}

TEST(Fit, RecoversTheCoefficientsUnderNoise) {
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, synthetic(400, 0.05, true, node_s));
  const std::vector<double> expected{1e-6, 0.5e-9, 0.2e-9, 0.1e-9, 0.02e-9};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(fit.coefficients()[i], expected[i], 0.1 * expected[i]) << coefficient_names(Kernel::gemm_nn)[i];
  EXPECT_EQ(fit.error().samples, 100);
  EXPECT_LT(fit.error().median, 0.03);  // the median of five repetitions off by up to 5 %
  EXPECT_LT(fit.error().worst, 0.10);
}

TEST(Fit, KnowsStripsThatAreLeftOver) {
  const auto with_strips = [](const Call& call) {
    const auto size = static_cast<double>(call.n * call.k);
    return node_s(call) + (call.m % 4 == 3 ? 2.0 : call.m % 4 == 0 ? 0.0 : 1.0) * 0.3e-9 * size;
  };
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, synthetic(400, 0, false, with_strips));
  const Call three{Kernel::gemm_nn, 3, 501, 500}, four{Kernel::gemm_nn, 4, 501, 500};
  EXPECT_NEAR(fit.predict(three) / with_strips(three), 1, 1e-3);
  EXPECT_NEAR(fit.predict(four) / with_strips(four), 1, 1e-3);
  EXPECT_GT(fit.predict(three), fit.predict(four));
}

TEST(Fit, TakesTheNearestShapesWhereThePolynomialIsWrong) {
  // Twice as slow once A no longer fits a cache of 4096 floats.
  const auto cached = [](const Call& call) { return node_s(call) * (call.m * call.k > 4096 ? 2 : 1); };
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, synthetic(600, 0, true, cached));
  EXPECT_EQ(fit.method(), FitMethod::nearest);
  ASSERT_EQ(fit.candidates().size(), 2U);
  EXPECT_LT(fit.error().median, 0.5 * fit.candidates()[0].error.median);
}

TEST(Fit, ChoosesThePolynomialWhereItIsRight) {
  // Only noise is left to follow, and the nearest shapes follow it.
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, synthetic(3000, 0.3, false, node_s));
  EXPECT_EQ(fit.method(), FitMethod::polynomial);
}

TEST(Fit, FindsWhereTheBlasTakesAnotherWay) {
  // Above mnk = 10^6 ten times the time per multiply-add.
  std::vector<Sample> samples;
  for (std::int64_t i = 1; i <= 300; ++i) {
    const Call call{Kernel::gemm_nt, 10 + i * 37 % 199, 10 + i * 53 % 97, 10 + i * 71 % 211};
    const double work = double(call.m) * double(call.n) * double(call.k);
    samples.push_back({call, {work * (work <= 1e6 ? 1e-12 : 1e-11)}, i % 5 == 0});
  }
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nt, samples);
  const auto names = coefficient_names(Kernel::gemm_nt);
  const auto split = std::find(names.begin(), names.end(), "split") - names.begin();
  EXPECT_EQ(fit.coefficients()[static_cast<std::size_t>(split)], 1e6);
  EXPECT_LT(fit.error().worst, 0.01);
  EXPECT_NEAR(fit.predict({Kernel::gemm_nt, 20, 20, 20}), 8000e-12, 1e-11);
  EXPECT_NEAR(fit.predict({Kernel::gemm_nt, 101, 101, 101}), 101 * 101 * 101 * 1e-11, 1e-8);
}

TEST(Fit, ErrorsAreGivenByRegion) {
  // Products of n^3 picoseconds; those with a size up to 32 take 1.5 times as long where they are kept aside, the
  // others 1.1 times.
  std::vector<Sample> samples;
  for (const std::int64_t skinny : {8, 400})
    for (std::int64_t i = 1; i <= 10; ++i) {
      const Call call{Kernel::gemm_nn, skinny, 100 * i, 1000};
      const bool aside = i % 3 == 0;
      const double seconds = 1e-12 * double(call.m) * double(call.n) * double(call.k);
      samples.push_back({call, {seconds * (!aside ? 1 : skinny == 8 ? 1.5 : 1.1)}, aside});
    }
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, samples);
  ASSERT_EQ(fit.regions().size(), 2U);
  EXPECT_EQ(fit.regions()[0].name, "a size up to 32");
  EXPECT_EQ(fit.regions()[0].error.samples, 3);
  EXPECT_NEAR(fit.regions()[0].error.median, 1 - 1 / 1.5, 0.02);
  EXPECT_EQ(fit.regions()[1].name, "all sizes above 32");
  EXPECT_NEAR(fit.regions()[1].error.worst, 1 - 1 / 1.1, 0.02);
}

TEST(Fit, ErrorsAreThoseOfTheSamplesKeptAside) {
  // The fitted samples say 1 ns an element exactly; those kept aside took 1.00 to 1.40 ns, in steps of 2 %: errors
  // 1 - 1/1.02 and so on. The box spans them all.
  std::vector<Sample> samples;
  for (std::int64_t m = 1000; m <= 64'000; m *= 2) samples.push_back({{Kernel::relu, m}, {1e-9 * double(m)}, false});
  for (int i = 0; i < 21; ++i) {
    const std::int64_t m = 1100 + 2900 * i;
    samples.push_back({{Kernel::relu, m}, {1e-9 * double(m) * (1 + 0.02 * i)}, true});
  }
  const FitError error = KernelFit::fit(Kernel::relu, samples).error();
  EXPECT_EQ(error.samples, 21);
  EXPECT_NEAR(error.median, 1 - 1 / 1.20, 1e-9);        // the 11th of 21
  EXPECT_NEAR(error.percentile95, 1 - 1 / 1.38, 1e-9);  // nearest rank: the 20th
  EXPECT_NEAR(error.worst, 1 - 1 / 1.40, 1e-9);
}

TEST(Fit, PiecewiseGoesThroughItsSamples) {
  // 1 ns an element up to 10 000, then 3 ns: the line in between is straight in log(m) for the ratio to the polynomial.
  std::vector<Sample> samples;
  for (std::int64_t m = 100; m <= 1'000'000; m *= 10) {
    const double seconds = 1e-9 * static_cast<double>(m) * (m <= 10'000 ? 1 : 3);
    samples.push_back({{Kernel::add, m}, {seconds}, false});
    samples.push_back({{Kernel::add, m + 1}, {seconds}, true});
  }
  const KernelFit fit = KernelFit::fit(Kernel::add, samples);
  ASSERT_EQ(fit.method(), FitMethod::piecewise);
  EXPECT_NEAR(fit.predict({Kernel::add, 1000}), 1e-6, 1e-12);
  EXPECT_NEAR(fit.predict({Kernel::add, 100'000}), 3e-4, 1e-10);
  const double between = fit.predict({Kernel::add, 31'623});  // the middle of 10^4 and 10^5
  const auto& c = fit.coefficients();
  const auto polynomial = [&](double m) { return c[0] + c[1] * m; };
  EXPECT_NEAR(between / polynomial(31'623), std::sqrt(1e-5 / polynomial(1e4) * 3e-4 / polynomial(1e5)), 1e-4);
}

TEST(Estimate, OfAMeasuredShapeIsItsMedian) {
  std::vector<Sample> samples = synthetic(50, 0.1, true, node_s);
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, samples);
  for (const Sample& sample : samples) {
    std::vector<double> sorted = sample.seconds;
    std::sort(sorted.begin(), sorted.end());
    const Estimate estimate = fit.estimate(sample.call);
    EXPECT_EQ(estimate.seconds, sorted[2]);
    EXPECT_TRUE(estimate.measured_range);
  }
}

TEST(Estimate, KnowsTheBoxOfAllItsSamples) {
  const std::vector<Sample> samples{{{Kernel::gemm_nt, 10, 200, 3000}, {1e-3}, false},
                                    {{Kernel::gemm_nt, 20, 100, 1000}, {1e-3}, false},
                                    {{Kernel::gemm_nt, 40, 150, 4000}, {1e-3}, true}};
  const KernelFit fit = KernelFit::fit(Kernel::gemm_nt, samples);
  const auto inside = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    return fit.estimate({Kernel::gemm_nt, m, n, k}).measured_range;
  };
  EXPECT_TRUE(inside(10, 100, 1000));
  EXPECT_TRUE(inside(40, 200, 4000)) << "the sample kept aside counts: it was measured";
  EXPECT_FALSE(inside(9, 150, 2000));
  EXPECT_FALSE(inside(41, 150, 2000));
  EXPECT_FALSE(inside(20, 99, 2000));
  EXPECT_FALSE(inside(20, 201, 2000));
  EXPECT_FALSE(inside(20, 150, 999));
  EXPECT_FALSE(inside(20, 150, 4001));
}

TEST(Estimate, GrowsBeyondTheBoxAndStaysPositive) {
  for (const bool nearest : {false, true}) {
    const auto seconds = [&](const Call& call) {
      return node_s(call) * (nearest ? 1 + static_cast<double>(random_unit(1, CallHash{}(call), 0)) : 1);
    };
    const KernelFit fit = KernelFit::fit(Kernel::gemm_nn, synthetic(60, 0, true, seconds));
    for (int side = 0; side < 3; ++side) {
      double before = 0;
      for (std::int64_t size = 2048; size <= std::int64_t{1} << 40; size *= 2) {
        Call call{Kernel::gemm_nn, 64, 64, 64};
        (side == 0 ? call.m : side == 1 ? call.n : call.k) = size;
        const Estimate estimate = fit.estimate(call);
        ASSERT_GT(estimate.seconds, before);
        ASSERT_FALSE(estimate.measured_range);
        before = estimate.seconds;
      }
    }
    EXPECT_GT(fit.estimate({Kernel::gemm_nn, 1, 1, 1}).seconds, 0);
  }
}

TEST(KeepAside, AFifthOfEachKernelByTheSeedAlone) {
  std::vector<Sample> samples;
  for (std::int64_t m = 1; m <= 50; ++m)
    for (const Kernel kernel : {Kernel::relu, Kernel::add, Kernel::gemm_tn})
      samples.push_back({{kernel, m}, {1}, false});
  std::vector<Sample> reversed(samples.rbegin(), samples.rend());
  keep_aside(samples, 1);
  keep_aside(reversed, 1);
  std::map<Kernel, int> kept;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    kept[samples[i].call.kernel] += samples[i].kept_aside;
    EXPECT_EQ(samples[i].kept_aside, reversed[samples.size() - 1 - i].kept_aside) << "the order does not matter";
  }
  for (const auto& [kernel, count] : kept) EXPECT_EQ(count, 10) << name_of(kernel);
  std::vector<Sample> other = samples;
  keep_aside(other, 2);
  int differ = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) differ += samples[i].kept_aside != other[i].kept_aside;
  EXPECT_GT(differ, 0);
}

TEST(Median, OfOddAndEvenNumbers) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(median({7}), 7);
}

}  // namespace
}  // namespace simtrain
