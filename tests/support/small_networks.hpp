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

// A residual network: one join with the identity, one with a strided 1x1 convolution, batch normalisation, dropout.
inline const std::string kSmallResnet = R"({
  "format": "simtrain-network", "version": 1, "name": "small-resnet",
  "input": {"channels": 2, "height": 7, "width": 6}, "dataset_images": 64, "default_batch": 8,
  "layers": [{"name": "conv1", "type": "convolution", "filters": 5, "kernel": 3, "padding": 1, "bias": false},
             {"type": "batch_norm"}, {"name": "relu1", "type": "relu"},
             {"name": "conv2a", "type": "convolution", "filters": 5, "kernel": 3, "padding": 1, "bias": false},
             {"type": "batch_norm"}, {"type": "relu"},
             {"name": "conv2b", "type": "convolution", "filters": 5, "kernel": 3, "padding": 1, "bias": false},
             {"name": "norm2b", "type": "batch_norm"},
             {"type": "add", "inputs": ["norm2b", "relu1"]}, {"name": "relu2", "type": "relu"},
             {"name": "conv3a", "type": "convolution", "filters": 7, "kernel": 1, "stride": 2, "bias": false},
             {"name": "norm3a", "type": "batch_norm"},
             {"name": "shortcut", "type": "convolution", "filters": 7, "kernel": 1, "stride": 2, "input": "relu2"},
             {"type": "add", "inputs": ["norm3a", "shortcut"]}, {"name": "relu3", "type": "relu"},
             {"type": "dropout", "probability": 0.25},
             {"type": "average_pool", "window": 3}, {"type": "flatten"},
             {"name": "fc", "type": "linear", "outputs": 4}]})";

// Joins without batch normalisation, so that the batch may be split: an output that three layers read, a layer added to
// itself, dropout after ReLU and after pooling.
inline const std::string kJoins = R"({
  "format": "simtrain-network", "version": 1, "name": "joins",
  "input": {"channels": 2, "height": 5, "width": 5}, "dataset_images": 64, "default_batch": 8,
  "layers": [{"name": "a", "type": "convolution", "filters": 6, "kernel": 3, "padding": 1}, {"name": "ra", "type": "relu"},
             {"name": "b", "type": "convolution", "filters": 6, "kernel": 3, "padding": 1},
             {"name": "ab", "type": "add", "inputs": ["b", "ra"]},
             {"name": "c", "type": "convolution", "filters": 6, "kernel": 3, "padding": 1, "input": "ra"},
             {"name": "abc", "type": "add", "inputs": ["ab", "c"]},
             {"name": "d", "type": "add", "inputs": ["abc", "abc"]}, {"name": "rd", "type": "relu"},
             {"type": "dropout", "probability": 0.5}, {"name": "p", "type": "max_pool", "window": 2},
             {"type": "dropout", "probability": 0.25}, {"type": "flatten"},
             {"name": "fc", "type": "linear", "outputs": 4}]})";

// Tall images for many strips: 19 lines, then 10, 10, 10, 8, 4. Convolutions with a stride, groups, a window of one
// pixel, both poolings with padding, a join, dropout.
inline const std::string kTall = R"({
  "format": "simtrain-network", "version": 1, "name": "tall",
  "input": {"channels": 2, "height": 19, "width": 5}, "dataset_images": 64, "default_batch": 5,
  "layers": [{"name": "a", "type": "convolution", "filters": 4, "kernel": 5, "stride": 2, "padding": 2}, {"type": "relu"},
             {"type": "average_pool", "window": 3, "stride": 1, "padding": 1},
             {"name": "b", "type": "convolution", "filters": 6, "kernel": 3, "padding": 1, "groups": 2},
             {"name": "rb", "type": "relu"}, {"type": "dropout", "probability": 0.25},
             {"name": "c", "type": "convolution", "filters": 6, "kernel": 1},
             {"name": "bc", "type": "add", "inputs": ["c", "rb"]}, {"type": "relu"},
             {"name": "d", "type": "convolution", "filters": 5, "kernel": 3, "bias": false}, {"type": "relu"},
             {"type": "max_pool", "window": 3, "stride": 2, "padding": 1}, {"type": "flatten"},
             {"name": "fc1", "type": "linear", "outputs": 7}, {"type": "relu"},
             {"name": "fc2", "type": "linear", "outputs": 4}]})";

// Linear layers for pairs: one output that two of them read, joins of what is split in different ways, with or without
// bias, dropout before and after; sizes that no grid divides.
inline const std::string kPairs = R"({
  "format": "simtrain-network", "version": 1, "name": "pairs",
  "input": {"channels": 3, "height": 5, "width": 2}, "dataset_images": 96, "default_batch": 9,
  "layers": [{"type": "flatten"},
             {"name": "a", "type": "linear", "outputs": 13}, {"type": "relu"},
             {"name": "da", "type": "dropout", "probability": 0.25},
             {"name": "b", "type": "linear", "outputs": 9}, {"name": "rb", "type": "relu"},
             {"name": "h", "type": "linear", "outputs": 9, "bias": false, "input": "da"},
             {"name": "bh", "type": "add", "inputs": ["rb", "h"]},
             {"name": "dbh", "type": "dropout", "probability": 0.25},
             {"name": "c", "type": "linear", "outputs": 9},
             {"name": "cb", "type": "add", "inputs": ["c", "dbh"]}, {"type": "relu"},
             {"name": "d", "type": "linear", "outputs": 6}, {"type": "relu"},
             {"name": "e", "type": "linear", "outputs": 5}]})";

}  // namespace simtrain
