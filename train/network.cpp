#include "train/network.hpp"

#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json.hpp"

namespace simtrain {

namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 24;  // of any size in a network file

const std::vector<std::pair<std::string, LayerType>> kTypes{{"convolution", LayerType::convolution},
                                                            {"linear", LayerType::linear},
                                                            {"relu", LayerType::relu},
                                                            {"max_pool", LayerType::max_pool},
                                                            {"average_pool", LayerType::average_pool},
                                                            {"flatten", LayerType::flatten},
                                                            {"batch_norm", LayerType::batch_norm},
                                                            {"dropout", LayerType::dropout},
                                                            {"add", LayerType::add}};

LayerType read_type(JsonObject& object) {
  const std::string word = object.text("type");
  std::vector<std::string> known;
  for (const auto& [name, type] : kTypes) {
    if (name == word) return type;
    known.push_back(name);
  }
  object.refuse("type", unknown_choice("layer type", word, known));
}

// Output length along one axis of a window that slides over `size` with zero padding on both sides.
std::int64_t slide(JsonObject& object, std::int64_t size, const Layer& layer) {
  const std::int64_t room = size + 2 * layer.padding - layer.kernel;
  if (room < 0)
    object.refuse(layer.type == LayerType::convolution ? "kernel" : "window",
                  "is " + std::to_string(layer.kernel) + ", larger than the layer's input of " + std::to_string(size) +
                      " with padding " + std::to_string(layer.padding));
  return room / layer.stride + 1;
}

void read_convolution(JsonObject& object, Layer& layer) {
  const std::int64_t filters = object.integer("filters", 1, kLargest);
  layer.kernel = object.integer("kernel", 1, kLargest);
  layer.stride = object.integer_or("stride", 1, 1, kLargest);
  layer.padding = object.integer_or("padding", 0, 0, layer.kernel - 1);
  layer.groups = object.integer_or("groups", 1, 1, kLargest);
  layer.bias = object.boolean_or("bias", true);
  if (layer.in.channels % layer.groups != 0 || filters % layer.groups != 0)
    object.refuse("groups", "is " + std::to_string(layer.groups) + ", which does not divide both the " +
                                std::to_string(layer.in.channels) + " input channels and the " +
                                std::to_string(filters) + " filters");
  layer.out = {filters, slide(object, layer.in.height, layer), slide(object, layer.in.width, layer)};
}

void read_linear(JsonObject& object, Layer& layer) {
  layer.out = {object.integer("outputs", 1, kLargest), 1, 1};
  layer.bias = object.boolean_or("bias", true);
  if (layer.in.pixels() != 1)
    object.refuse("type", "a linear layer needs a flat input, but gets " + std::to_string(layer.in.channels) + "x" +
                              std::to_string(layer.in.height) + "x" + std::to_string(layer.in.width) +
                              "; put a flatten layer before it");
}

void read_pool(JsonObject& object, Layer& layer) {
  layer.kernel = object.integer("window", 1, kLargest);
  layer.stride = object.integer_or("stride", layer.kernel, 1, kLargest);
  layer.padding = object.integer_or("padding", 0, 0, layer.kernel / 2);
  layer.out = {layer.in.channels, slide(object, layer.in.height, layer), slide(object, layer.in.width, layer)};
}

// The layers read so far, by name.
class Earlier {
 public:
  explicit Earlier(const Network& network) : network_(network) {}

  [[nodiscard]] int index_of(JsonObject& object, std::string_view key, const std::string& name) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < network_.layers.size(); ++i) {
      if (network_.layers[i].name == name) return static_cast<int>(i);
      names.push_back(network_.layers[i].name);
    }
    object.refuse(key, unknown_choice("layer", name, names) + "; expected the name of an earlier layer");
  }
  [[nodiscard]] int last() const { return static_cast<int>(network_.layers.size()) - 1; }  // kNetworkInput at first
  [[nodiscard]] Shape shape(int index) const {
    return index == kNetworkInput ? network_.input : network_.layers[static_cast<std::size_t>(index)].out;
  }

 private:
  const Network& network_;
};

std::vector<int> read_inputs(JsonObject& object, LayerType type, const Earlier& earlier) {
  if (type != LayerType::add)
    return {object.has("input") ? earlier.index_of(object, "input", object.text("input")) : earlier.last()};
  std::vector<int> inputs;
  for (const nlohmann::json& name : object.array("inputs"))
    inputs.push_back(earlier.index_of(object, "inputs", name.is_string() ? name.get<std::string>() : name.dump()));
  if (inputs.size() != 2) object.refuse("inputs", "expected the names of two layers");
  return inputs;
}

void read_add(JsonObject& object, const Layer& layer, const Earlier& earlier) {
  const Shape other = earlier.shape(layer.inputs[1]);
  const auto text = [](Shape s) {
    return std::to_string(s.channels) + "x" + std::to_string(s.height) + "x" + std::to_string(s.width);
  };
  if (other != layer.in)
    object.refuse("inputs",
                  "have different shapes, " + text(layer.in) + " and " + text(other) + "; they cannot be added");
}

Layer read_layer(JsonObject object, Network& network, std::size_t number) {
  const Earlier earlier(network);
  Layer layer;
  layer.type = read_type(object);
  layer.inputs = read_inputs(object, layer.type, earlier);
  layer.in = layer.out = earlier.shape(layer.inputs[0]);
  layer.name = object.text_or("name", object.text("type") + std::to_string(number));
  switch (layer.type) {
    case LayerType::convolution:
      read_convolution(object, layer);
      break;
    case LayerType::linear:
      read_linear(object, layer);
      break;
    case LayerType::max_pool:
    case LayerType::average_pool:
      read_pool(object, layer);
      break;
    case LayerType::flatten:
      layer.out = {layer.in.size(), 1, 1};
      break;
    case LayerType::dropout:
      layer.probability = object.number("probability", 0, 0.99);
      break;
    case LayerType::batch_norm:
      if (layer.inputs[0] == kNetworkInput || !network.layers[static_cast<std::size_t>(layer.inputs[0])].weighted())
        object.refuse("type", "batch_norm must come right after a convolution or linear layer");
      network.layers[static_cast<std::size_t>(layer.inputs[0])].normalised = true;
      break;
    case LayerType::add:
      read_add(object, layer, earlier);
      break;
    case LayerType::relu:
      break;
  }
  object.finish();
  return layer;
}

double elements_of(Shape shape) {
  return static_cast<double>(shape.channels) * static_cast<double>(shape.height) * static_cast<double>(shape.width);
}

}  // namespace

std::int64_t Layer::inputs_per_row() const {
  if (type == LayerType::convolution) return in.channels / groups * kernel * kernel;
  return type == LayerType::linear ? in.channels : 0;
}

ConvolutionGeometry Layer::geometry() const {
  return {in.channels, in.height, in.width, out.channels, out.height, out.width,
          kernel,      kernel,    stride,   padding,      groups};
}

std::string Layer::description() const {
  const std::string change = std::to_string(in.channels) + " -> " + std::to_string(out.channels);
  if (type == LayerType::linear) return "linear " + change;
  if (type != LayerType::convolution) return name;
  const std::string side = std::to_string(kernel);
  return "convolution " + side + "x" + side + (stride > 1 ? "/" + std::to_string(stride) : "") + ", " + change +
         (groups > 1 ? ", " + std::to_string(groups) + " groups" : "");
}

Network network_from_json(const std::string& path, const std::string& text) {
  const nlohmann::json document = parse_json("network", path, text);
  JsonObject root("network", path, document);
  if (root.text("format") != "simtrain-network") root.refuse("format", "expected \"simtrain-network\"");
  root.integer("version", 1, 1);
  Network network;
  network.path = path;
  network.name = root.text("name");
  root.text_or("source", "");
  JsonObject input = root.object("input");
  network.input = {input.integer("channels", 1, kLargest), input.integer("height", 1, kLargest),
                   input.integer("width", 1, kLargest)};
  input.finish();
  if (elements_of(network.input) > 1e11) root.refuse("input", "has more than 100 000 million elements");
  network.dataset_images = root.integer("dataset_images", 1);
  network.default_batch = root.integer("default_batch", 1, INT32_MAX);

  std::set<std::string> names;
  for (std::size_t i = 0; i < root.array("layers").size(); ++i) {
    network.layers.push_back(read_layer(root.element("layers", i), network, i + 1));
    const Layer& layer = network.layers.back();
    // Products of these stay far below 2^63, whatever the batch.
    constexpr double kMostElements = 1e11;
    for (const double elements :
         {elements_of(layer.in), elements_of(layer.out),
          static_cast<double>(layer.out.channels) * static_cast<double>(layer.inputs_per_row())})
      if (elements > kMostElements)
        root.refuse("layers[" + std::to_string(i) + "]",
                    "has an input, an output or weights of more than 100 000 million elements");
    if (!names.insert(layer.name).second)
      root.refuse("layers[" + std::to_string(i) + "].name", "'" + layer.name + "' names an earlier layer too");
  }
  if (network.layers.empty() || network.layers.back().type != LayerType::linear)
    root.refuse("layers", "the last layer must be linear: its outputs are the classes");
  root.finish();
  return network;
}

Network load_network(const std::string& name) {
  const auto path = find_data_file("network", "scenarios/networks", name, ".json");
  return network_from_json(path.string(), read_file("network", path));
}

}  // namespace simtrain
