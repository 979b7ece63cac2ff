#include "train/reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace simtrain {

namespace {

using Values = std::vector<double>;
using Batch = std::vector<Values>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

// Calls visit(output element, input element, weight column) for every product of one filter's convolution.
void visit_convolution(const Layer& layer, std::int64_t filter,
                       const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  const std::int64_t per_group_in = layer.in.channels / layer.groups, per_group_out = layer.out.channels / layer.groups;
  const std::int64_t first_channel = filter / per_group_out * per_group_in;
  for (std::int64_t y = 0; y < layer.out.height; ++y)
    for (std::int64_t x = 0; x < layer.out.width; ++x)
      for (std::int64_t c = 0; c < per_group_in; ++c)
        for (std::int64_t ky = 0; ky < layer.kernel; ++ky)
          for (std::int64_t kx = 0; kx < layer.kernel; ++kx) {
            const std::int64_t in_y = y * layer.stride + ky - layer.padding,
                               in_x = x * layer.stride + kx - layer.padding;
            if (in_y < 0 || in_y >= layer.in.height || in_x < 0 || in_x >= layer.in.width) continue;
            visit((filter * layer.out.height + y) * layer.out.width + x,
                  ((first_channel + c) * layer.in.height + in_y) * layer.in.width + in_x,
                  (c * layer.kernel + ky) * layer.kernel + kx);
          }
}

// The same for any weighted layer and row of W.
void visit_products(const Layer& layer, std::int64_t row,
                    const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  if (layer.type == LayerType::convolution) return visit_convolution(layer, row, visit);
  for (std::int64_t k = 0; k < layer.in.channels; ++k) visit(row, k, k);
}

// Calls visit(output element, input elements of its window inside the image).
void visit_windows(const Layer& layer,
                   const std::function<void(std::int64_t, const std::vector<std::int64_t>&)>& visit) {
  std::vector<std::int64_t> window;
  for (std::int64_t c = 0; c < layer.out.channels; ++c)
    for (std::int64_t y = 0; y < layer.out.height; ++y)
      for (std::int64_t x = 0; x < layer.out.width; ++x) {
        window.clear();
        for (std::int64_t ky = 0; ky < layer.kernel; ++ky)
          for (std::int64_t kx = 0; kx < layer.kernel; ++kx) {
            const std::int64_t in_y = y * layer.stride + ky - layer.padding,
                               in_x = x * layer.stride + kx - layer.padding;
            if (in_y >= 0 && in_y < layer.in.height && in_x >= 0 && in_x < layer.in.width)
              window.push_back((c * layer.in.height + in_y) * layer.in.width + in_x);
          }
        visit((c * layer.out.height + y) * layer.out.width + x, window);
      }
}

std::int64_t first_largest(const Values& values, const std::vector<std::int64_t>& window) {
  return *std::max_element(window.begin(), window.end(),
                           [&](std::int64_t a, std::int64_t b) { return values[at(a)] < values[at(b)]; });
}

Values softmax(const Values& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Values result(logits.size());
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) sum += result[i] = std::exp(logits[i] - largest);
  for (double& value : result) value /= sum;
  return result;
}

// Mean and 1/sqrt(variance + epsilon) of a channel over the batch.
struct Statistics {
  double mean = 0, inverse = 0;
};
Statistics statistics_of(const Layer& layer, const Batch& x, std::int64_t channel) {
  const std::int64_t pixels = layer.in.pixels();
  const double count = static_cast<double>(pixels) * static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const Values& sample : x)
    for (std::int64_t j = 0; j < pixels; ++j) mean += sample[at(channel * pixels + j)] / count;
  for (const Values& sample : x)
    for (std::int64_t j = 0; j < pixels; ++j) variance += std::pow(sample[at(channel * pixels + j)] - mean, 2) / count;
  return {mean, 1 / std::sqrt(variance + static_cast<double>(kNormalisationEpsilon))};
}

void normalise(const Layer& layer, const Values& parameters, const Batch& x, Batch& y) {
  for (std::int64_t c = 0; c < layer.out.channels; ++c) {
    const Statistics s = statistics_of(layer, x, c);
    for (std::size_t n = 0; n < x.size(); ++n)
      for (std::int64_t j = c * layer.in.pixels(); j < (c + 1) * layer.in.pixels(); ++j)
        y[n][at(j)] = parameters[at(c)] * (x[n][at(j)] - s.mean) * s.inverse + parameters[at(layer.out.channels + c)];
  }
}

void normalise_gradient(const Layer& layer, const Values& parameters, const Batch& x, const Batch& dy, Batch& dx,
                        Values& gradient) {
  const double count = static_cast<double>(layer.in.pixels()) * static_cast<double>(x.size());
  for (std::int64_t c = 0; c < layer.out.channels; ++c) {
    const Statistics s = statistics_of(layer, x, c);
    double scale = 0, shift = 0;
    const std::int64_t first = c * layer.in.pixels(), end = first + layer.in.pixels();
    for (std::size_t n = 0; n < x.size(); ++n)
      for (std::int64_t j = first; j < end; ++j) {
        scale += dy[n][at(j)] * (x[n][at(j)] - s.mean) * s.inverse;
        shift += dy[n][at(j)];
      }
    gradient[at(c)] += scale;
    gradient[at(layer.out.channels + c)] += shift;
    for (std::size_t n = 0; n < x.size(); ++n)
      for (std::int64_t j = first; j < end; ++j)
        dx[n][at(j)] += parameters[at(c)] * s.inverse *
                        (dy[n][at(j)] - shift / count - (x[n][at(j)] - s.mean) * s.inverse * scale / count);
  }
}

}  // namespace

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

namespace {

void forward_weighted(const Layer& layer, const ReferenceTrainer::Parameters& p, const Values& x, Values& y) {
  for (std::int64_t row = 0; row < layer.out.channels; ++row) {
    visit_products(layer, row, [&](std::int64_t out, std::int64_t in, std::int64_t column) {
      y[at(out)] += p.weights[at(row * layer.inputs_per_row() + column)] * x[at(in)];
    });
    if (layer.bias)
      for (std::int64_t j = 0; j < layer.out.pixels(); ++j) y[at(row * layer.out.pixels() + j)] += p.biases[at(row)];
  }
}

void backward_weighted(const Layer& layer, const ReferenceTrainer::Parameters& p, ReferenceTrainer::Parameters& g,
                       const Values& x, const Values& dy, Values& dx) {
  for (std::int64_t row = 0; row < layer.out.channels; ++row) {
    visit_products(layer, row, [&](std::int64_t out, std::int64_t in, std::int64_t column) {
      const std::int64_t w = row * layer.inputs_per_row() + column;
      g.weights[at(w)] += dy[at(out)] * x[at(in)];
      dx[at(in)] += p.weights[at(w)] * dy[at(out)];
    });
    if (layer.bias)
      for (std::int64_t j = 0; j < layer.out.pixels(); ++j) g.biases[at(row)] += dy[at(row * layer.out.pixels() + j)];
  }
}

void forward_pool(const Layer& layer, const Values& x, Values& y) {
  visit_windows(layer, [&](std::int64_t out, const std::vector<std::int64_t>& window) {
    if (layer.type == LayerType::max_pool) {
      y[at(out)] = x[at(first_largest(x, window))];
    } else {
      for (const std::int64_t in : window) y[at(out)] += x[at(in)] / static_cast<double>(window.size());
    }
  });
}

void backward_pool(const Layer& layer, const Values& x, const Values& dy, Values& dx) {
  visit_windows(layer, [&](std::int64_t out, const std::vector<std::int64_t>& window) {
    if (layer.type == LayerType::max_pool) {
      dx[at(first_largest(x, window))] += dy[at(out)];
    } else {
      for (const std::int64_t in : window) dx[at(in)] += dy[at(out)] / static_cast<double>(window.size());
    }
  });
}

// 0, or the factor of an element that dropout lets through.
double dropout_factor(const Layer& layer, std::uint64_t seed, std::size_t index, std::int64_t iteration,
                      std::size_t sample, std::size_t feature) {
  Dropout dropout{};
  dropout.probability = static_cast<float>(layer.probability);
  dropout.seed = seed;
  dropout.layer = static_cast<std::int64_t>(index);
  dropout.iteration = iteration;
  return survives(dropout, static_cast<std::int64_t>(sample), static_cast<std::int64_t>(feature))
             ? 1 / (1 - layer.probability)
             : 0;
}

}  // namespace

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
