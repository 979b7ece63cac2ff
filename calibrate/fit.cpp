#include "calibrate/fit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"
#include "calibrate/least_squares.hpp"

namespace simtrain {
namespace {

// Strips that are left over when a size is cut into tiles of `tile` and the rest into powers of two: 7 with tile 4 is
// 4 + 2 + 1, hence 2.
double left_over_strips(std::int64_t size, std::int64_t tile) {
  return std::popcount(static_cast<std::uint64_t>(size % tile));
}

constexpr std::size_t kProductTerms = 7;

double work_of(const Call& call) {
  return static_cast<double>(call.m) * static_cast<double>(call.n) * static_cast<double>(call.k);
}

std::vector<double> terms_of(const Call& call) {
  const auto m = static_cast<double>(call.m), n = static_cast<double>(call.n), k = static_cast<double>(call.k);
  if (is_gemm(call.kernel))
    return {
        1, m * n, m * k, n * k, m * n * k, left_over_strips(call.m, 4) * n * k, left_over_strips(call.n, 8) * m * k};
  if (is_im2col(call.kernel)) {
    const auto window = static_cast<double>(call.window);
    return {1, m, m / n, call.k > 1 ? m : 0.0, m * k * k / (window * window)};
  }
  if (is_pooling(call.kernel)) return {1, m, m * k, m * k / n};
  return {1, m};
}

}  // namespace

std::string_view name_of(FitMethod method) {
  constexpr std::array<std::string_view, 3> kNames{"polynomial", "nearest", "piecewise"};
  return kNames[static_cast<std::size_t>(method)];
}

bool has_three_sizes(Kernel kernel) { return is_gemm(kernel) || is_im2col(kernel) || is_pooling(kernel); }

FitMethod local_method(Kernel kernel) { return has_three_sizes(kernel) ? FitMethod::nearest : FitMethod::piecewise; }

std::vector<std::string> coefficient_names(Kernel kernel) {
  if (is_gemm(kernel)) {
    std::vector<std::string> names{"1", "mn", "mk", "nk", "mnk", "strips(m)nk", "strips(n)mk"};
    names.emplace_back("split");
    for (std::size_t i = 0; i < kProductTerms; ++i) names.push_back("small " + names[i]);
    return names;
  }
  if (is_im2col(kernel)) return {"1", "m", "m/n", "m if k>1", "mkk/window^2"};
  if (is_pooling(kernel)) return {"1", "m", "mk", "mk/n"};
  return {"1", "m"};
}

double median(std::vector<double> values) {
  SIMTRAIN_INVARIANT(!values.empty(), "no values");
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double log_spread(const FitError& error) { return std::log1p(error.median) / 0.6745; }

FitError summarise_errors(std::vector<double> errors) {
  if (errors.empty()) return {};
  std::sort(errors.begin(), errors.end());
  // Nearest rank: the smallest value that at least 95 % of them do not exceed.
  const auto rank = static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(errors.size())));
  return {static_cast<int>(errors.size()), median(errors), errors[rank - 1], errors.back()};
}

namespace {

struct LeastSquares {
  std::vector<double> coefficients;
  double error = 0;  // sum of squares of relative errors
};

// Of the samples that were not kept aside and whose work lies in (least, most].
LeastSquares solve(const std::vector<Sample>& samples, double least, double most) {
  std::vector<std::vector<double>> rows;
  for (const Sample& sample : samples) {
    if (sample.kept_aside || work_of(sample.call) <= least || work_of(sample.call) > most) continue;
    std::vector<double> row = terms_of(sample.call);
    const double seconds = median(sample.seconds);
    for (double& term : row) term /= seconds;
    rows.push_back(std::move(row));
  }
  constexpr std::size_t kLeastRows = 3 * kProductTerms;
  const bool all = least <= 0 && most == std::numeric_limits<double>::infinity();
  if (!all && rows.size() < kLeastRows) return {{}, std::numeric_limits<double>::infinity()};
  LeastSquares result{relative_least_squares(rows), 0};
  for (const auto& row : rows) {
    const double off = std::inner_product(row.begin(), row.end(), result.coefficients.begin(), 0.0) - 1;
    result.error += off * off;
  }
  return result;
}

// One polynomial, or for products one below and one above a split: a BLAS may have another way for small ones (OpenBLAS
// for AVX-512 up to mnk = 100^3). The split that leaves the smallest error, if that is much smaller than without.
std::vector<double> solve(Kernel kernel, const std::vector<Sample>& samples) {
  constexpr double kAll = std::numeric_limits<double>::infinity(), kMuch = 0.7;
  LeastSquares best = solve(samples, 0, kAll);
  if (!is_gemm(kernel)) return best.coefficients;
  best.coefficients.resize(2 * kProductTerms + 1, 0);
  double least = kMuch * best.error;
  for (const double split : {1e5, 3e5, 1e6, 3e6, 1e7}) {
    const LeastSquares small = solve(samples, 0, split), large = solve(samples, split, kAll);
    if (small.error + large.error >= least) continue;
    least = small.error + large.error;
    best.coefficients = large.coefficients;
    best.coefficients.push_back(split);
    best.coefficients.insert(best.coefficients.end(), small.coefficients.begin(), small.coefficients.end());
  }
  return best.coefficients;
}

}  // namespace

KernelFit KernelFit::fit(Kernel kernel, const std::vector<Sample>& samples) {
  KernelFit fit(kernel, samples, solve(kernel, samples), {}, FitMethod::polynomial, {});
  for (const FitMethod method : {FitMethod::polynomial, local_method(kernel)})
    fit.candidates_.push_back({method, fit.judge(samples, method)});
  if (fit.candidates_[1].error.median < fit.candidates_[0].error.median) fit.method_ = local_method(kernel);
  fit.regions_ = fit.judge_regions(samples);
  return fit;
}

KernelFit::KernelFit(Kernel kernel, const std::vector<Sample>& samples, std::vector<double> coefficients,
                     std::vector<Candidate> candidates, FitMethod method, std::vector<Region> regions)
    : kernel_(kernel),
      method_(method),
      coefficients_(std::move(coefficients)),
      candidates_(std::move(candidates)),
      regions_(std::move(regions)),
      least_(samples.at(0).call),
      most_(samples.at(0).call) {
  SIMTRAIN_INVARIANT(coefficients_.size() == coefficient_names(kernel).size(), "coefficients");
  for (const Sample& sample : samples) {
    const Call& call = sample.call;
    const double seconds = median(sample.seconds);
    measured_[call] = seconds;
    least_ = {kernel, std::min(least_.m, call.m), std::min(least_.n, call.n), std::min(least_.k, call.k),
              std::min(least_.window, call.window)};
    most_ = {kernel, std::max(most_.m, call.m), std::max(most_.n, call.n), std::max(most_.k, call.k),
             std::max(most_.window, call.window)};
    most_work_ = std::max(most_work_, work_of(call));
  }
  for (const Sample& sample : samples)
    if (!sample.kept_aside)
      neighbours_.push_back(
          {clamped(sample.call), std::log(measured_[sample.call] / polynomial(sample.call)), is_small(sample.call)});
  std::sort(neighbours_.begin(), neighbours_.end(), [](const Neighbour& a, const Neighbour& b) { return a.at < b.at; });
}

const FitError& KernelFit::error() const {
  const auto chosen = std::find_if(candidates_.begin(), candidates_.end(),
                                   [&](const Candidate& candidate) { return candidate.method == method_; });
  SIMTRAIN_INVARIANT(chosen != candidates_.end(), "a method without a judgement");
  return chosen->error;
}

double KernelFit::polynomial(const Call& call) const {
  const std::vector<double> terms = terms_of(call);
  const auto first = coefficients_.begin() + (is_small(call) ? kProductTerms + 1 : 0);
  // A fit of one sample may have no constant term; a call always takes some time.
  return std::max(1e-12, std::inner_product(terms.begin(), terms.end(), first, 0.0));
}

bool KernelFit::is_small(const Call& call) const {
  return is_gemm(kernel_) && work_of(call) <= coefficients_[kProductTerms];
}

KernelFit::Point KernelFit::clamped(const Call& call) const {
  const auto log_of = [](std::int64_t size, std::int64_t least, std::int64_t most) {
    return std::log(static_cast<double>(std::clamp(size, least, most)));
  };
  return {log_of(call.m, least_.m, most_.m), log_of(call.n, least_.n, most_.n), log_of(call.k, least_.k, most_.k),
          log_of(call.window, least_.window, most_.window)};
}

double KernelFit::nearest_log_ratio(const Call& call) const {
  const Point at = clamped(call);
  const bool small = is_small(call);
  constexpr std::size_t kNeighbours = 6;
  constexpr double kOtherSide = 3;                     // of the split: as far as shapes that differ by e^3
  std::vector<std::pair<double, double>> by_distance;  // squared distance, log ratio
  by_distance.reserve(neighbours_.size());
  for (const Neighbour& neighbour : neighbours_) {
    double squared = 1e-6;  // a shape 0.1 % away counts as the same
    if (neighbour.small != small) squared += kOtherSide * kOtherSide;
    for (std::size_t i = 0; i < at.size(); ++i) squared += (at[i] - neighbour.at[i]) * (at[i] - neighbour.at[i]);
    by_distance.emplace_back(squared, neighbour.log_ratio);
  }
  const auto count = std::min(kNeighbours, by_distance.size());
  std::partial_sort(by_distance.begin(), by_distance.begin() + static_cast<std::ptrdiff_t>(count), by_distance.end());
  double weights = 0, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    weights += 1 / by_distance[i].first;
    sum += by_distance[i].second / by_distance[i].first;
  }
  return sum / weights;
}

double KernelFit::piecewise_log_ratio(double log_m) const {
  const auto right = std::lower_bound(neighbours_.begin(), neighbours_.end(), log_m,
                                      [](const Neighbour& neighbour, double at) { return neighbour.at[0] < at; });
  if (right == neighbours_.begin()) return neighbours_.front().log_ratio;
  if (right == neighbours_.end()) return neighbours_.back().log_ratio;
  const auto left = std::prev(right);
  const double part = (log_m - left->at[0]) / (right->at[0] - left->at[0]);
  return left->log_ratio + part * (right->log_ratio - left->log_ratio);
}

double KernelFit::predict(const Call& call, FitMethod method) const {
  const double seconds = polynomial(call);
  if (method == FitMethod::polynomial) return seconds;
  return seconds *
         std::exp(method == FitMethod::nearest ? nearest_log_ratio(call) : piecewise_log_ratio(clamped(call)[0]));
}

Estimate KernelFit::estimate(const Call& call) const {
  if (const auto known = measured_.find(call); known != measured_.end()) return {known->second, true};
  const auto inside = [](std::int64_t size, std::int64_t least, std::int64_t most) {
    return size >= least && size <= most;
  };
  return {predict(call), inside(call.m, least_.m, most_.m) && inside(call.n, least_.n, most_.n) &&
                             inside(call.k, least_.k, most_.k) && inside(call.window, least_.window, most_.window) &&
                             (!is_gemm(call.kernel) || work_of(call) <= 2 * most_work_)};
}

FitError KernelFit::judge(const std::vector<Sample>& samples, FitMethod method) const {
  std::vector<double> errors;
  for (const Sample& sample : samples)
    if (sample.kept_aside) errors.push_back(std::abs(predict(sample.call, method) / median(sample.seconds) - 1));
  return summarise_errors(std::move(errors));
}

bool is_skinny(const Call& call) { return is_gemm(call.kernel) && std::min({call.m, call.n, call.k}) <= 32; }

std::string region_of(const Call& call) {
  if (is_gemm(call.kernel)) return is_skinny(call) ? "a size up to 32" : "all sizes above 32";
  const std::int64_t bytes = call.m * std::int64_t{sizeof(float)};
  if (bytes <= 256 << 10) return "up to 256 KiB";
  return bytes <= 16 << 20 ? "up to 16 MiB" : "above 16 MiB";
}

std::vector<KernelFit::Region> KernelFit::judge_regions(const std::vector<Sample>& samples) const {
  std::vector<Region> regions;
  for (const char* name : {"a size up to 32", "all sizes above 32", "up to 256 KiB", "up to 16 MiB", "above 16 MiB"}) {
    std::vector<Sample> inside;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(inside),
                 [&](const Sample& sample) { return region_of(sample.call) == name; });
    if (const FitError error = judge(inside, method_); error.samples > 0) regions.push_back({name, error});
  }
  return regions;
}

void keep_aside(std::vector<Sample>& samples, std::uint64_t seed) {
  std::map<Kernel, std::vector<Sample*>> by_kernel;
  for (Sample& sample : samples) {
    sample.kept_aside = false;
    by_kernel[sample.call.kernel].push_back(&sample);
  }
  for (auto& [kernel, shapes] : by_kernel) {
    const auto lot = [seed](const Sample* sample) { return random_bits(seed, CallHash{}(sample->call), 0); };
    std::sort(shapes.begin(), shapes.end(), [&](const Sample* a, const Sample* b) { return lot(a) < lot(b); });
    for (std::size_t i = 0; i < shapes.size() / 5; ++i) shapes[i]->kept_aside = true;
  }
}

}  // namespace simtrain
