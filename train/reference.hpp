// The slow, obvious trainer: one process, plain loops over one sample at a time, double precision, no BLAS, no MPI, no
// plan. It shares with the real one the network, the initial weights and the data, and nothing else. Tests hold the
// trainer against it.
#pragma once

#include <cstdint>
#include <vector>

#include "train/dataset.hpp"
#include "train/network.hpp"
#include "train/reference_layers.hpp"

namespace simtrain {

struct ReferenceOptions {
  std::int64_t batch = 1;
  double learning_rate = 0.01, momentum = 0.9, weight_decay = 0;
  bool dropout = false;
};

class ReferenceTrainer {
 public:
  ReferenceTrainer(Network network, const ReferenceOptions& options, std::uint64_t seed);

  // Trains on samples [iteration*batch, (iteration+1)*batch) and returns their mean loss before the update.
  double iterate(std::int64_t iteration, const Dataset& data);

  // By weighted layer, in order.
  using Parameters = reference::Parameters;
  [[nodiscard]] const std::vector<Parameters>& parameters() const { return parameters_; }
  // Gradients of the mean loss in the last iteration, weight decay not included.
  [[nodiscard]] const std::vector<Parameters>& gradients() const { return gradients_; }
  // For finite differences.
  std::vector<Parameters>& mutable_parameters() { return parameters_; }
  [[nodiscard]] double loss_of(std::int64_t iteration, const Dataset& data) const;

 private:
  using Batch = reference::Batch;
  // Of every layer, the network's input first.
  [[nodiscard]] std::vector<Batch> forward(Batch input, std::int64_t iteration) const;
  [[nodiscard]] Batch forward(std::size_t layer, const std::vector<Batch>& activations, std::int64_t iteration) const;
  void backward(const std::vector<Batch>& activations, const std::vector<std::int64_t>& labels, std::int64_t iteration);
  // Adds to the gradients of the layer's inputs.
  void backward(std::size_t layer, const std::vector<Batch>& activations, std::vector<Batch>& gradients,
                std::int64_t iteration);
  [[nodiscard]] Batch load(std::int64_t iteration, const Dataset& data, std::vector<std::int64_t>& labels) const;
  void descend();

  Network network_;
  ReferenceOptions options_;
  std::uint64_t seed_;
  std::vector<int>
      weighted_;  // by layer of the network: index into parameters_ (of its convolution for a batch_norm), or -1
  std::vector<Parameters> parameters_, gradients_, velocities_;
};

}  // namespace simtrain
