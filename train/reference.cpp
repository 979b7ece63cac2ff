#include "train/reference.hpp"

#include <algorithm>
#include <cmath>

#include "train/reference_layers.hpp"

namespace simtrain {

using namespace reference;

ReferenceTrainer::ReferenceTrainer(Network network, const ReferenceOptions& options, std::uint64_t seed)
    : network_(std::move(network)), options_(options), seed_(seed) {
  for (const Layer& layer : network_.layers) {
    if (layer.type == LayerType::batch_norm) weighted_.push_back(weighted_[at(layer.inputs[0])]);
    if (layer.type == LayerType::batch_norm) continue;
    weighted_.push_back(layer.weighted() ? static_cast<int>(parameters_.size()) : -1);
    if (!layer.weighted()) continue;
    const std::int64_t columns = layer.inputs_per_row();
    Parameters initial{Values(at(layer.weight_count())), Values(layer.bias ? at(layer.out.channels) : 0),
                       Values(layer.normalised ? at(2 * layer.out.channels) : 0)};
    for (std::int64_t i = 0; i < layer.weight_count(); ++i)
      initial.weights[at(i)] = static_cast<double>(
          initial_weight(seed, static_cast<int>(parameters_.size()), i / columns, i % columns, columns));
    std::fill_n(initial.normalisation.begin(), initial.normalisation.size() / 2, 1.0);
    parameters_.push_back(initial);
    velocities_.push_back(
        {Values(initial.weights.size()), Values(initial.biases.size()), Values(initial.normalisation.size())});
  }
}

Batch ReferenceTrainer::forward(std::size_t index, const std::vector<Batch>& activations,
                                std::int64_t iteration) const {
  const Layer& layer = network_.layers[index];
  const Batch& x = activations[at(layer.inputs[0] + 1)];
  Batch y(x.size(), Values(at(layer.out.size())));
  if (layer.type == LayerType::batch_norm) normalise(layer, parameters_[at(weighted_[index])].normalisation, x, y);
  for (std::size_t n = 0; n < x.size(); ++n) switch (layer.type) {
      case LayerType::convolution:
      case LayerType::linear:
        forward_weighted(layer, parameters_[at(weighted_[index])], x[n], y[n]);
        break;
      case LayerType::relu:
        std::transform(x[n].begin(), x[n].end(), y[n].begin(), [](double value) { return std::max(value, 0.0); });
        break;
      case LayerType::max_pool:
      case LayerType::average_pool:
        forward_pool(layer, x[n], y[n]);
        break;
      case LayerType::flatten:
        y[n] = x[n];
        break;
      case LayerType::dropout:
        for (std::size_t i = 0; i < y[n].size(); ++i)
          y[n][i] = options_.dropout ? x[n][i] * dropout_factor(layer, seed_, index, iteration, n, i) : x[n][i];
        break;
      case LayerType::add:
        for (std::size_t i = 0; i < y[n].size(); ++i) y[n][i] = x[n][i] + activations[at(layer.inputs[1] + 1)][n][i];
        break;
      case LayerType::batch_norm:
        break;  // the whole batch at once, above
    }
  return y;
}

std::vector<Batch> ReferenceTrainer::forward(Batch input, std::int64_t iteration) const {
  std::vector<Batch> activations{std::move(input)};
  for (std::size_t i = 0; i < network_.layers.size(); ++i) activations.push_back(forward(i, activations, iteration));
  return activations;
}

void ReferenceTrainer::backward(std::size_t index, const std::vector<Batch>& activations, std::vector<Batch>& gradients,
                                std::int64_t iteration) {
  const Layer& layer = network_.layers[index];
  const Batch& x = activations[at(layer.inputs[0] + 1)];
  const Batch& y = activations[index + 1];
  const Batch& dy = gradients[index + 1];
  Batch& dx = gradients[at(layer.inputs[0] + 1)];
  if (layer.type == LayerType::batch_norm) {
    const std::size_t p = at(weighted_[index]);
    normalise_gradient(layer, parameters_[p].normalisation, x, dy, dx, gradients_[p].normalisation);
  }
  for (std::size_t n = 0; n < x.size(); ++n) switch (layer.type) {
      case LayerType::convolution:
      case LayerType::linear:
        backward_weighted(layer, parameters_[at(weighted_[index])], gradients_[at(weighted_[index])], x[n], dy[n],
                          dx[n]);
        break;
      case LayerType::relu:
        for (std::size_t i = 0; i < y[n].size(); ++i) dx[n][i] += y[n][i] > 0 ? dy[n][i] : 0;
        break;
      case LayerType::max_pool:
      case LayerType::average_pool:
        backward_pool(layer, x[n], dy[n], dx[n]);
        break;
      case LayerType::flatten:
        for (std::size_t i = 0; i < y[n].size(); ++i) dx[n][i] += dy[n][i];
        break;
      case LayerType::dropout:
        for (std::size_t i = 0; i < y[n].size(); ++i)
          dx[n][i] += dy[n][i] * (options_.dropout ? dropout_factor(layer, seed_, index, iteration, n, i) : 1);
        break;
      case LayerType::add:
        for (const int input : layer.inputs)
          for (std::size_t i = 0; i < y[n].size(); ++i) gradients[at(input + 1)][n][i] += dy[n][i];
        break;
      case LayerType::batch_norm:
        break;
    }
}

void ReferenceTrainer::backward(const std::vector<Batch>& activations, const std::vector<std::int64_t>& labels,
                                std::int64_t iteration) {
  std::vector<Batch> gradients;
  for (const Batch& batch : activations) gradients.emplace_back(batch.size(), Values(batch[0].size()));
  for (std::size_t n = 0; n < labels.size(); ++n) {
    Values& dy = gradients.back()[n];
    dy = softmax(activations.back()[n]);
    dy[at(labels[n])] -= 1;
    for (double& value : dy) value /= static_cast<double>(options_.batch);
  }
  for (std::size_t i = network_.layers.size(); i-- > 0;) backward(i, activations, gradients, iteration);
}

void ReferenceTrainer::descend() {
  const auto step = [&](Values& w, Values& v, const Values& g) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      v[i] = options_.momentum * v[i] + g[i] + options_.weight_decay * w[i];
      w[i] -= options_.learning_rate * v[i];
    }
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    step(parameters_[i].weights, velocities_[i].weights, gradients_[i].weights);
    step(parameters_[i].biases, velocities_[i].biases, gradients_[i].biases);
    step(parameters_[i].normalisation, velocities_[i].normalisation, gradients_[i].normalisation);
  }
}

Batch ReferenceTrainer::load(std::int64_t iteration, const Dataset& data, std::vector<std::int64_t>& labels) const {
  Batch input;
  for (std::int64_t i = 0; i < options_.batch; ++i) {
    const std::int64_t sample = (iteration * options_.batch + i) % data.size();
    labels.push_back(data.label(sample));
    Values& x = input.emplace_back(at(network_.input.size()));
    for (std::size_t f = 0; f < x.size(); ++f)
      x[f] = static_cast<double>(data.value(sample, static_cast<std::int64_t>(f)));
  }
  return input;
}

namespace {

double mean_loss(const Batch& logits, const std::vector<std::int64_t>& labels) {
  double loss = 0;
  for (std::size_t n = 0; n < labels.size(); ++n) loss -= std::log(softmax(logits[n])[at(labels[n])]);
  return loss / static_cast<double>(labels.size());
}

}  // namespace

double ReferenceTrainer::loss_of(std::int64_t iteration, const Dataset& data) const {
  std::vector<std::int64_t> labels;
  Batch input = load(iteration, data, labels);
  return mean_loss(forward(std::move(input), iteration).back(), labels);
}

double ReferenceTrainer::iterate(std::int64_t iteration, const Dataset& data) {
  gradients_.clear();
  for (const Parameters& p : parameters_)
    gradients_.push_back({Values(p.weights.size()), Values(p.biases.size()), Values(p.normalisation.size())});
  std::vector<std::int64_t> labels;
  Batch input = load(iteration, data, labels);
  const std::vector<Batch> activations = forward(std::move(input), iteration);
  backward(activations, labels, iteration);
  descend();
  return mean_loss(activations.back(), labels);
}

}  // namespace simtrain
