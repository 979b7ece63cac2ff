#include "report/result.hpp"

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
    return value(layer.all_gather) + value(layer.reduce_data) + value(layer.reduce_weights);
  });
}

}  // namespace

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

double Result::reduction_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.reduction_s; });
}

double Result::alpha_beta_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.alpha_beta_s; });
}

double Result::paper_s() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.paper_s; });
}

double Result::extrapolated_s() const {
  return sum_over_layers(*this, [](const LayerResult& layer) { return layer.extrapolated_s; });
}

double Result::bytes_sent() const {
  return sum_over_collectives(*this, [](const CollectiveResult& collective) { return collective.bytes_sent.mean; });
}

}  // namespace simtrain
