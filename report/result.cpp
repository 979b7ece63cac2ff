#include "report/result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace simtrain {

namespace {

template <typename Value>
double sum_over_layers(const Result& result, Value value) {
  double sum = 0;
  for (const LayerResult& layer : result.layers) sum += value(layer);
  return sum;
}

template <typename Value>
double sum_over_collectives(const Result& result, Value value) {
  return sum_over_layers(result, [&](const LayerResult& layer) {
    double sum = 0;
    for (const auto exchange : kExchangesOfLayer) sum += value(layer.*exchange);
    return sum;
  });
}

// Of numbers in their order.
double percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return std::lerp(sorted[below], sorted[below + 1], place - static_cast<double>(below));
}

}  // namespace

Distribution distribution_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {values.front(), percentile(values, 0.05), percentile(values, 0.5), percentile(values, 0.95), values.back()};
}

std::string name_of(Phase phase) {
  constexpr std::array<const char*, kPhases> names{"forward",      "backward",      "update",
                                                   "all-gather Y", "all-reduce dX", "all-reduce dW",
                                                   "redistribute", "halo",          "all-reduce Y"};
  return names[static_cast<std::size_t>(phase)];
}

std::int64_t LinksResult::count() const {
  std::int64_t links = 0;
  for (const LinkClassResult& one : classes) links += one.count;
  return links;
}

double FormulaSeconds::total() const { return std::accumulate(exchanges.begin(), exchanges.end(), compute); }

double Result::epoch_s() const {
  if (job.batch <= 0) return 0;
  return iteration_s * static_cast<double>(job.epoch_images) / static_cast<double>(job.batch);
}

double Result::images_per_s() const { return iteration_s > 0 ? static_cast<double>(job.batch) / iteration_s : 0; }

double Result::compute_s() const {
  return sum_over_layers(*this, [](const LayerResult& layer) {
    return layer.forward_s.mean + layer.backward_s.mean + layer.update_s.mean;
  });
}

double Result::communication_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.seconds.mean; });
}

double Result::exposed_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.waited_s(); });
}

double Result::reduction_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.reduction_s; });
}

double Result::alpha_beta_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.alpha_beta_s; });
}

double Result::paper_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.paper_s; });
}

bool Result::has_strips() const {
  return std::any_of(layers.begin(), layers.end(), [](const LayerResult& layer) { return layer.strips > 1; });
}

bool Result::has_columns() const {
  return std::any_of(layers.begin(), layers.end(), [](const LayerResult& layer) { return layer.by_columns(); });
}

double Result::extrapolated_s() const {
  return sum_over_layers(*this, [](const LayerResult& layer) { return layer.extrapolated_s; });
}

double Result::bytes_sent() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.bytes_sent.mean; });
}

}  // namespace simtrain
