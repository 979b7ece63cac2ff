// Are network files read strictly, with errors that name file, layer and key?
#include "train/network.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/support/small_networks.hpp"

namespace simtrain {
namespace {

std::string error_of(const std::string& text) {
  try {
    network_from_json("net.json", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string with_layers(const std::string& layers) {
  return R"({"format": "simtrain-network", "version": 1, "name": "n", "input": {"channels": 3, "height": 8, "width": 8},
 "dataset_images": 10, "default_batch": 2, "layers": [)" +
         layers + "]}";
}

void expect_error(const std::string& text, const std::vector<std::string>& parts) {
  const std::string error = error_of(text);
  EXPECT_NE(error.find("net.json"), std::string::npos) << error;
  for (const std::string& part : parts) EXPECT_NE(error.find(part), std::string::npos) << error << "\n lacks " << part;
}

TEST(Network, WorksOutShapes) {
  const Network network = network_from_json("net.json", kSmallCnn);
  ASSERT_EQ(network.layers.size(), 10U);
  EXPECT_EQ(network.layers[0].out, (Shape{8, 11, 9}));  // padded 3x3
  EXPECT_EQ(network.layers[2].out, (Shape{8, 5, 4}));   // (11-3)/2+1, (9-3)/2+1
  EXPECT_EQ(network.layers[3].out, (Shape{6, 3, 2}));   // (5+2-3)/2+1, (4+2-3)/2+1
  EXPECT_EQ(network.layers[5].out, (Shape{6, 2, 1}));
  EXPECT_EQ(network.layers[6].out, (Shape{12, 1, 1}));
  EXPECT_EQ(network.layers[3].inputs_per_row(), 4 * 9);  // 8 channels in 2 groups
  EXPECT_EQ(network.classes(), 4);
}

TEST(Network, RefusesWhatIsWrong) {
  const std::string last = R"({"type": "flatten"}, {"name": "fc", "type": "linear", "outputs": 2})";
  expect_error(with_layers(R"({"type": "reluu"}, )" + last), {"layers[0].type", "'reluu'", "did you mean 'relu'"});
  expect_error(with_layers(R"({"type": "relu", "filters": 3}, )" + last), {"layers[0].filters", "not known"});
  expect_error(with_layers(R"({"name": "c", "type": "convolution", "filters": 4}, )" + last),
               {"layers[0].kernel", "is missing"});
  expect_error(with_layers(R"({"name": "c", "type": "convolution", "filters": 4, "kernel": 9}, )" + last),
               {"layers[0].kernel", "is 9, larger than the layer's input of 8"});
  expect_error(with_layers(R"({"name": "c", "type": "convolution", "filters": 4, "kernel": 3, "groups": 2}, )" + last),
               {"layers[0].groups", "does not divide"});
  expect_error(with_layers(R"({"type": "linear", "outputs": 2})"), {"layers[0].type", "3x8x8", "flatten"});
  expect_error(with_layers(R"({"type": "flatten"}, {"type": "linear", "outputs": 0})"),
               {"layers[1].outputs", "from 1", "found 0"});
  expect_error(with_layers(R"({"type": "flatten"}, {"name": "a", "type": "linear", "outputs": 4},
                              {"name": "a", "type": "linear", "outputs": 4})"),
               {"layers[2].name", "'a'"});
  expect_error(with_layers(R"({"type": "relu"})"), {"layers", "last layer must be linear"});
  expect_error(with_layers(""), {"last layer must be linear"});
  std::string truncated = kSmallCnn;
  truncated.resize(truncated.size() / 2);
  expect_error(truncated, {"line", "ends early"});
  expect_error("{}", {"'format'", "is missing"});
  expect_error("[]", {"expected an object"});
}

std::int64_t weights_of(const std::string& name) {
  std::int64_t weights = 0;
  for (const Layer& layer : load_network(SOURCE_DIR "/scenarios/networks/" + name + ".json").layers)
    weights += layer.weight_count();
  return weights;
}

// Published parameter counts less biases and normalisation: VGG-16 has 138 357 544 parameters, 13 416 of them biases
// (4 224 of convolutions, 9 192 of linear layers); ResNet-50 25 557 032, 53 120 of batch normalisation, 1 000 biases.
TEST(Network, ShippedNetworksHaveThePublishedWeights) {
  EXPECT_EQ(weights_of("vgg16"), 138'357'544 - 13'416);
  EXPECT_EQ(weights_of("resnet50"), 25'557'032 - 53'120 - 1'000);
}

TEST(Network, RefusesWrongJoins) {
  const std::string last = R"(, {"type": "flatten"}, {"name": "fc", "type": "linear", "outputs": 2})";
  const std::string conv = R"({"name": "c", "type": "convolution", "filters": 3, "kernel": 3, "padding": 1})";
  expect_error(with_layers(conv + R"(, {"type": "add", "inputs": ["c", "d"]})" + last),
               {"layers[1].inputs", "'d'", "earlier"});
  expect_error(with_layers(conv + R"(, {"type": "add", "inputs": ["c"]})" + last), {"layers[1].inputs", "two"});
  expect_error(
      with_layers(conv + R"(, {"name": "p", "type": "max_pool", "window": 2}, {"type": "add", "inputs": ["c", "p"]})" +
                  last),
      {"layers[2].inputs", "3x8x8", "3x4x4"});
  expect_error(with_layers(R"({"type": "batch_norm"}, )" + conv + last), {"layers[0].type", "right after"});
  expect_error(with_layers(conv + R"(, {"type": "relu", "input": "x"})" + last), {"layers[1].input", "'x'"});
  expect_error(with_layers(conv + R"(, {"type": "dropout", "probability": 1})" + last), {"layers[1].probability"});
}

}  // namespace
}  // namespace simtrain
