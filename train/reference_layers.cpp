#include "train/reference_layers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace simtrain::reference {

namespace {

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

}  // namespace

Values softmax(const Values& logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Values result(logits.size());
  double sum = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) sum += result[i] = std::exp(logits[i] - largest);
  for (double& value : result) value /= sum;
  return result;
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

void forward_weighted(const Layer& layer, const Parameters& p, const Values& x, Values& y) {
  for (std::int64_t row = 0; row < layer.out.channels; ++row) {
    visit_products(layer, row, [&](std::int64_t out, std::int64_t in, std::int64_t column) {
      y[at(out)] += p.weights[at(row * layer.inputs_per_row() + column)] * x[at(in)];
    });
    if (layer.bias)
      for (std::int64_t j = 0; j < layer.out.pixels(); ++j) y[at(row * layer.out.pixels() + j)] += p.biases[at(row)];
  }
}

void backward_weighted(const Layer& layer, const Parameters& p, Parameters& g, const Values& x, const Values& dy,
                       Values& dx) {
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

}  // namespace simtrain::reference
