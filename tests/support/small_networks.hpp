// Networks small enough for the serial reference, as files would hold them.
#pragma once

#include <string>

namespace simtrain {

// Sizes that divide evenly by 1, 2, 3, 4, 6 and batches of 12.
inline const std::string kEvenMlp = R"({
  "format": "simtrain-network", "version": 1, "name": "even-mlp",
  "input": {"channels": 12, "height": 1, "width": 1}, "dataset_images": 96, "default_batch": 12,
  "layers": [{"name": "fc1", "type": "linear", "outputs": 24}, {"type": "relu"},
             {"name": "fc2", "type": "linear", "outputs": 36}, {"type": "relu"},
             {"name": "fc3", "type": "linear", "outputs": 12}]})";

// Prime sizes throughout; the second layer has fewer rows than some grids.
inline const std::string kOddMlp = R"({
  "format": "simtrain-network", "version": 1, "name": "odd-mlp",
  "input": {"channels": 1, "height": 7, "width": 3}, "dataset_images": 101, "default_batch": 11,
  "layers": [{"type": "flatten"},
             {"name": "fc1", "type": "linear", "outputs": 23}, {"type": "relu"},
             {"name": "fc2", "type": "linear", "outputs": 2, "bias": false}, {"type": "relu"},
             {"name": "fc3", "type": "linear", "outputs": 5}]})";

// Grouped, strided and padded convolutions, both poolings, odd image sizes.
inline const std::string kSmallCnn = R"({
  "format": "simtrain-network", "version": 1, "name": "small-cnn",
  "input": {"channels": 3, "height": 11, "width": 9}, "dataset_images": 64, "default_batch": 8,
  "layers": [{"name": "conv1", "type": "convolution", "filters": 8, "kernel": 3, "padding": 1}, {"type": "relu"},
             {"type": "max_pool", "window": 3, "stride": 2},
             {"name": "conv2", "type": "convolution", "filters": 6, "kernel": 3, "stride": 2, "padding": 1, "groups": 2,
              "bias": false},
             {"type": "relu"},
             {"type": "average_pool", "window": 2, "stride": 1},
             {"type": "flatten"},
             {"name": "fc3", "type": "linear", "outputs": 10}, {"type": "relu"},
             {"name": "fc4", "type": "linear", "outputs": 4}]})";

}  // namespace simtrain
