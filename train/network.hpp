// A network: layers in order, each fed by an earlier one, with their shapes worked out. Read strictly from JSON
// (scenarios/networks/):
//
//   { "format": "simtrain-network", "version": 1, "name": "mlp", "source": "where its numbers come from",
//     "input": {"channels": 1, "height": 28, "width": 28}, "dataset_images": 60000, "default_batch": 256,
//     "layers": [ {"type": "flatten"},
//                 {"name": "fc1", "type": "linear", "outputs": 512, "bias": true}, {"type": "relu"},
//                 {"name": "fc2", "type": "linear", "outputs": 10} ] }
//
//   type         keys (default)
//   convolution  name, filters, kernel, stride (1), padding (0), groups (1), bias (true)
//   linear       name, outputs, bias (true)
//   max_pool     window, stride (window), padding (0)
//   average_pool the same
//   relu, flatten
//   batch_norm   right after a convolution or linear layer: its scales and shifts go with that layer's weights
//   dropout      probability; only where a job asks for dropout
//   add          inputs: the names of two layers of the same shape (a residual join)
// A layer takes the output of the one before it, or of the layer that its key "input" names.
// The last layer is linear; its outputs are the classes, and a softmax cross-entropy loss follows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/operation.hpp"

namespace simtrain {

enum class LayerType { convolution, linear, relu, max_pool, average_pool, flatten, batch_norm, dropout, add };

inline constexpr int kNetworkInput = -1;

struct Shape {
  std::int64_t channels = 1, height = 1, width = 1;
  [[nodiscard]] std::int64_t pixels() const { return height * width; }
  [[nodiscard]] std::int64_t size() const { return channels * pixels(); }
  bool operator==(const Shape&) const = default;
};

struct Layer {
  std::string name;  // unique; "relu3" and the like when the file gives none
  LayerType type = LayerType::relu;
  Shape in, out;
  // convolution (kernel, stride, padding, groups) and pooling (kernel is the window)
  std::int64_t kernel = 1, stride = 1, padding = 0, groups = 1;
  bool bias = false;
  bool normalised = false;  // of weighted layers: a batch_norm follows, whose parameters are kept with this layer's
  double probability = 0;   // dropout: of an element to be dropped
  std::vector<int> inputs;  // indices of layers, or kNetworkInput

  [[nodiscard]] bool weighted() const { return type == LayerType::convolution || type == LayerType::linear; }
  // Columns of the weight matrix; |W| = out.channels * inputs_per_row(), without biases. 0 for layers without weights.
  [[nodiscard]] std::int64_t inputs_per_row() const;
  [[nodiscard]] std::int64_t weight_count() const { return out.channels * inputs_per_row(); }
  [[nodiscard]] ConvolutionGeometry geometry() const;  // convolution only
  [[nodiscard]] std::string description() const;       // "convolution 11x11/4, 3 -> 96"
};

struct Network {
  std::string name, path;
  Shape input;
  std::int64_t dataset_images = 0;  // images of an epoch
  std::int64_t default_batch = 0;
  std::vector<Layer> layers;

  [[nodiscard]] std::int64_t classes() const { return layers.back().out.channels; }
};

// `name`: a shipped network ("alexnet") or a file. InputError naming file, layer and key.
Network load_network(const std::string& name);
Network network_from_json(const std::string& path, const std::string& text);

}  // namespace simtrain
