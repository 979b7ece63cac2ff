#include "train/reference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace simtrain {

namespace {

using Values = std::vector<double>;

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

Values sample_of(const Network& network, const Dataset& data, std::int64_t sample) {
  Values input(at(network.input.size()));
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = static_cast<double>(data.value(sample, static_cast<std::int64_t>(i)));
  return input;
}

}  // namespace

ReferenceTrainer::ReferenceTrainer(Network network, const ReferenceOptions& options, std::uint64_t seed)
    : network_(std::move(network)), options_(options) {
  for (const Layer& layer : network_.layers) {
    weighted_.push_back(layer.weighted() ? static_cast<int>(parameters_.size()) : -1);
    if (!layer.weighted()) continue;
    const std::int64_t columns = layer.inputs_per_row();
    Parameters initial{Values(at(layer.weight_count())), Values(layer.bias ? at(layer.out.channels) : 0)};
    for (std::int64_t i = 0; i < layer.weight_count(); ++i)
      initial.weights[at(i)] = static_cast<double>(
          initial_weight(seed, static_cast<int>(parameters_.size()), i / columns, i % columns, columns));
    parameters_.push_back(initial);
    velocities_.push_back({Values(initial.weights.size()), Values(initial.biases.size())});
  }
}

std::vector<Values> ReferenceTrainer::forward(Values input) const {
  std::vector<Values> activations{std::move(input)};
  for (std::size_t i = 0; i < network_.layers.size(); ++i) {
    const Layer& layer = network_.layers[i];
    const Values& x = activations.back();
    Values y(at(layer.out.size()));
    if (layer.weighted()) {
      const Parameters& p = parameters_[at(weighted_[i])];
      for (std::int64_t row = 0; row < layer.out.channels; ++row) {
        visit_products(layer, row, [&](std::int64_t out, std::int64_t in, std::int64_t column) {
          y[at(out)] += p.weights[at(row * layer.inputs_per_row() + column)] * x[at(in)];
        });
        if (layer.bias)
          for (std::int64_t j = 0; j < layer.out.pixels(); ++j)
            y[at(row * layer.out.pixels() + j)] += p.biases[at(row)];
      }
    } else if (layer.type == LayerType::relu) {
      std::transform(x.begin(), x.end(), y.begin(), [](double value) { return std::max(value, 0.0); });
    } else if (layer.type == LayerType::flatten) {
      y = x;
    } else {
      visit_windows(layer, [&](std::int64_t out, const std::vector<std::int64_t>& window) {
        if (layer.type == LayerType::max_pool) {
          y[at(out)] = x[at(first_largest(x, window))];
        } else {
          for (const std::int64_t in : window) y[at(out)] += x[at(in)] / static_cast<double>(window.size());
        }
      });
    }
    activations.push_back(std::move(y));
  }
  return activations;
}

void ReferenceTrainer::backward(const std::vector<Values>& activations, std::int64_t label) {
  Values dy = softmax(activations.back());
  dy[at(label)] -= 1;
  for (double& value : dy) value /= static_cast<double>(options_.batch);
  for (std::size_t i = network_.layers.size(); i-- > 0;) {
    const Layer& layer = network_.layers[i];
    const Values& x = activations[i];
    const Values& y = activations[i + 1];
    Values dx(x.size());
    if (layer.weighted()) {
      const Parameters& p = parameters_[at(weighted_[i])];
      Parameters& g = gradients_[at(weighted_[i])];
      for (std::int64_t row = 0; row < layer.out.channels; ++row) {
        visit_products(layer, row, [&](std::int64_t out, std::int64_t in, std::int64_t column) {
          const std::int64_t w = row * layer.inputs_per_row() + column;
          g.weights[at(w)] += dy[at(out)] * x[at(in)];
          dx[at(in)] += p.weights[at(w)] * dy[at(out)];
        });
        if (layer.bias)
          for (std::int64_t j = 0; j < layer.out.pixels(); ++j)
            g.biases[at(row)] += dy[at(row * layer.out.pixels() + j)];
      }
    } else if (layer.type == LayerType::relu) {
      for (std::size_t j = 0; j < dx.size(); ++j) dx[j] = y[j] > 0 ? dy[j] : 0;
    } else if (layer.type == LayerType::flatten) {
      dx = dy;
    } else {
      visit_windows(layer, [&](std::int64_t out, const std::vector<std::int64_t>& window) {
        if (layer.type == LayerType::max_pool) {
          dx[at(first_largest(x, window))] += dy[at(out)];
        } else {
          for (const std::int64_t in : window) dx[at(in)] += dy[at(out)] / static_cast<double>(window.size());
        }
      });
    }
    dy = std::move(dx);
  }
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
  }
}

double ReferenceTrainer::loss_of(std::int64_t iteration, const Dataset& data) const {
  double loss = 0;
  for (std::int64_t i = 0; i < options_.batch; ++i) {
    const std::int64_t sample = (iteration * options_.batch + i) % data.size();
    loss -= std::log(softmax(forward(sample_of(network_, data, sample)).back())[at(data.label(sample))]);
  }
  return loss / static_cast<double>(options_.batch);
}

double ReferenceTrainer::iterate(std::int64_t iteration, const Dataset& data) {
  gradients_.clear();
  for (const Parameters& p : parameters_) gradients_.push_back({Values(p.weights.size()), Values(p.biases.size())});
  double loss = 0;
  for (std::int64_t i = 0; i < options_.batch; ++i) {
    const std::int64_t sample = (iteration * options_.batch + i) % data.size();
    const std::vector<Values> activations = forward(sample_of(network_, data, sample));
    loss -= std::log(softmax(activations.back())[at(data.label(sample))]);
    backward(activations, data.label(sample));
  }
  descend();
  return loss / static_cast<double>(options_.batch);
}

}  // namespace simtrain
