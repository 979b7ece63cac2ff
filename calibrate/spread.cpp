#include "calibrate/spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "base/random.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/workbench.hpp"

namespace simtrain {
namespace {

// Distinct calls that are not needed anyway.
class Collection {
 public:
  explicit Collection(const std::vector<Call>& needed) : taken_(needed.begin(), needed.end()) {}
  // False if it was there already.
  bool add(const Call& call) {
    if (!taken_.insert(call).second) return false;
    calls_.push_back(call);
    return true;
  }
  [[nodiscard]] std::vector<Call> calls() && { return std::move(calls_); }

 private:
  std::unordered_set<Call, CallHash> taken_;
  std::vector<Call> calls_;
};

std::int64_t log_between(double least, double most, double u) {
  return std::max<std::int64_t>(1, std::llround(least * std::pow(most / least, u)));
}

bool within(const Call& call, const SpreadLimits& limits) {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n), k = static_cast<double>(call.k);
  return m * n * k <= limits.largest_products &&
         std::max({m * n, m * k, n * k}) <= static_cast<double>(limits.largest_floats);
}

// Points of the whole box of sizes; those beyond the limits are passed over.
void add_products_all_over(Kernel kernel, const SpreadLimits& limits, std::uint64_t seed, Collection& calls) {
  constexpr double kLargest = 16384;
  int added = 0;
  for (std::uint64_t i = 0; added < limits.shapes / 2 && i < 100'000; ++i) {
    const auto [u] = low_discrepancy(seed, i);
    const Call call{kernel, log_between(1, kLargest, u[0]), log_between(1, kLargest, u[1]),
                    log_between(1, kLargest, u[2])};
    if (within(call, limits) && calls.add(call)) ++added;
  }
}

// Needed shapes with each size up to twice or half as large: for other batches, grids and layers of the same kind.
void add_products_around(Kernel kernel, const std::vector<Call>& needed, const SpreadLimits& limits, std::uint64_t seed,
                         Collection& calls) {
  std::vector<Call> centres;
  std::copy_if(needed.begin(), needed.end(), std::back_inserter(centres),
               [&](const Call& call) { return call.kernel == kernel; });
  if (centres.empty()) return;
  int added = 0;
  for (std::uint64_t i = 0; added < limits.shapes / 2 && i < 10'000; ++i) {
    const Call& centre = centres[random_bits(seed, 1, i) % centres.size()];
    const auto [u] = low_discrepancy(seed, i);
    const auto around = [](std::int64_t size, double position) {
      return log_between(0.5 * static_cast<double>(size), 2.0 * static_cast<double>(size), position);
    };
    const Call call{kernel, around(centre.m, u[0]), around(centre.n, u[1]), around(centre.k, u[2])};
    if (within(call, limits) && calls.add(call)) ++added;
  }
}

// Matrices of up to twice kIm2colBytes, the widths of rows, strides and windows that networks use.
void add_im2col(Kernel kernel, const SpreadLimits& limits, std::uint64_t seed, Collection& calls) {
  struct Kind {
    std::int64_t stride, window;
  };
  constexpr std::array<Kind, 7> kKinds{{{1, 3}, {2, 3}, {1, 5}, {1, 1}, {2, 1}, {2, 7}, {4, 11}}};
  int added = 0;
  for (std::uint64_t i = 0; added < limits.shapes / 2 && i < 10'000; ++i) {
    const auto [u] = low_discrepancy(seed, i);
    const Kind kind = kKinds[static_cast<std::size_t>(static_cast<double>(kKinds.size()) * u[2])];
    const Call call = executable({kernel, log_between(1e4, 2.0 * kIm2colBytes / sizeof(float), u[0]),
                                  log_between(6, 224, u[1]), kind.stride, kind.window});
    if (calls.add(call)) ++added;
  }
}

// Windows of 2 with stride 2 and of 3 with strides 2 and 1.
void add_pooling(Kernel kernel, const SpreadLimits& limits, std::uint64_t seed, Collection& calls) {
  constexpr std::array<std::int64_t, 3> kLooks{4, 9, 36};
  int added = 0;
  for (std::uint64_t i = 0; added < limits.shapes / 2 && i < 10'000; ++i) {
    const auto [u] = low_discrepancy(seed, i);
    const Call call = executable({kernel, log_between(1e3, static_cast<double>(limits.largest_elements), u[0]),
                                  log_between(1, 112, u[1]), kLooks[static_cast<std::size_t>(3 * u[2])]});
    if (calls.add(call)) ++added;
  }
}

void add_stream(Kernel kernel, std::int64_t largest, std::uint64_t seed, Collection& calls) {
  const auto most = static_cast<double>(largest);
  std::uint64_t step = 0;
  for (double size = 64; size < most; size *= 1.5) {
    const double u = random_unit(seed, static_cast<std::uint64_t>(kernel), step++);
    calls.add(executable({kernel, log_between(size, std::min(1.5 * size, most), u)}));
  }
  calls.add(executable({kernel, largest}));
}

}  // namespace

Point3 low_discrepancy(std::uint64_t seed, std::uint64_t i) {
  constexpr double kGolden = 1.2207440846057594753616853491088319;
  Point3 point{};
  double step = 1;
  for (std::uint64_t j = 0; j < 3; ++j) {
    step /= kGolden;
    const double position = static_cast<double>(random_unit(seed, 3, j)) + step * static_cast<double>(i);
    point.u[j] = position - std::floor(position);
  }
  return point;
}

std::vector<Call> spread_calls(const std::vector<Call>& needed, const SpreadLimits& limits, std::uint64_t seed) {
  Collection calls(needed);
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    const auto kernel = static_cast<Kernel>(i);
    const std::uint64_t kernel_seed = random_bits(seed, 2, i);
    if (is_gemm(kernel)) {
      add_products_all_over(kernel, limits, kernel_seed, calls);
      add_products_around(kernel, needed, limits, kernel_seed, calls);
    } else if (is_pooling(kernel)) {
      add_pooling(kernel, limits, kernel_seed, calls);
    } else if (is_im2col(kernel)) {
      add_im2col(kernel, limits, kernel_seed, calls);
    } else {
      std::int64_t largest = limits.largest_elements;
      for (const Call& call : needed)
        if (call.kernel == kernel) largest = std::max(largest, call.m);
      add_stream(kernel, largest, kernel_seed, calls);
    }
  }
  return std::move(calls).calls();
}

}  // namespace simtrain
