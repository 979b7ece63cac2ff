#include "train/columns.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr int kNone = -1;

void check_layer(const Layer& layer) {
  const std::string what = "--strategy: layer '" + layer.name + "' ";
  if (layer.type != LayerType::linear)
    throw InputError(what +
                     "is a convolution, whose W is not split by columns; expected columns for linear layers only");
  if (layer.normalised)
    throw InputError(what +
                     "is followed by batch normalisation, which takes the rows that a rank owns; expected "
                     "columns for layers without it");
}

}  // namespace

bool lie_alike(const LayerStrategy& a, const LayerStrategy& b) {
  return a.grid == b.grid && (a.kind == LayerKind::domain) == (b.kind == LayerKind::domain);
}

std::vector<char> ends_of_pairs(const Network& network) {
  const std::size_t layers = network.layers.size();
  std::vector<char> ends(layers), begins(layers);  // what a layer puts out comes from first layers of pairs alone
  const auto begun = [&](int input) { return input != kNetworkInput && begins[static_cast<std::size_t>(input)] != 0; };
  for (std::size_t i = 0; i < layers; ++i) {
    const Layer& layer = network.layers[i];
    const bool from_first = std::all_of(layer.inputs.begin(), layer.inputs.end(), begun);
    const bool linear = layer.type == LayerType::linear;
    ends[i] = linear && !layer.normalised && from_first ? 1 : 0;
    begins[i] = (layer.weighted() ? linear && ends[i] == 0 : from_first) ? 1 : 0;
  }
  return ends;
}

void check_columns(const Network& network, const std::vector<LayerStrategy>& strategies) {
  const std::size_t layers = network.layers.size();
  std::vector<int> source(layers, kNone);  // the layer split by columns that what a layer puts out comes from
  for (std::size_t i = 0; i < layers; ++i) {
    const Layer& layer = network.layers[i];
    int from = kNone;
    for (const int input : layer.inputs)
      if (const auto j = static_cast<std::size_t>(input);
          input != kNetworkInput && lie_alike(strategies[j], strategies[i]))
        from = std::max(from, source[j]);
    const bool by_columns = layer.weighted() && strategies[i].kind == LayerKind::columns;
    if (by_columns) check_layer(layer);
    if (by_columns && from != kNone)
      throw InputError("--strategy: layer '" + layer.name + "' is split by columns and so is '" +
                       network.layers[static_cast<std::size_t>(from)].name +
                       "', whose output it reads: that one needs all rows of its gradient, and a rank would have its "
                       "own; expected an integrated layer after one split by columns");
    source[i] = by_columns ? static_cast<int>(i) : layer.weighted() ? kNone : from;
  }
}

std::vector<char> read_whole(const Network& network, const std::vector<LayerStrategy>& strategies) {
  const std::size_t layers = network.layers.size();
  std::vector<char> whole(layers), read(layers);
  for (std::size_t i = layers; i-- > 0;) {
    const Layer& layer = network.layers[i];
    if (read[i] == 0) whole[i] = 1;  // the loss reads the last one
    for (const int input : layer.inputs) {
      if (input == kNetworkInput) continue;
      const auto j = static_cast<std::size_t>(input);
      const bool own_rows = layer.weighted() ? strategies[i].kind == LayerKind::columns : whole[i] == 0;
      read[j] = 1;
      if (!own_rows || !lie_alike(strategies[i], strategies[j])) whole[j] = 1;
    }
  }
  return whole;
}

}  // namespace simtrain
