#include "train/strategy.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/name_pattern.hpp"
#include "train/columns.hpp"

namespace simtrain {

namespace {

constexpr std::string_view kUniform = "uniform", kConvBatch = "conv-batch", kPair = "pair", kDomain = "domain",
                           kAuto = "auto", kOption = "--strategy";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes a kind off the end of "PATTERN:KIND".
LayerKind take_kind(std::string_view& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return LayerKind::integrated;
  const std::string_view word = trimmed(text.substr(colon + 1));
  for (const LayerKind kind : kLayerKinds)
    if (word == name_of(kind)) {
      text = trimmed(text.substr(0, colon));
      return kind;
    }
  return LayerKind::integrated;  // a colon within a pattern
}

StrategyRule parse_rule(std::string_view option, std::string_view text) {
  const auto colon = text.rfind(':');
  std::string_view pattern = trimmed(text.substr(0, std::min(colon, text.size())));
  const LayerKind kind = take_kind(pattern);
  if (colon == std::string_view::npos || pattern.empty())
    throw InputError(
        std::string(option) + ": '" + std::string(text) +
        "' is not a rule; expected LAYERS:GRID or LAYERS:KIND:GRID, such as conv*:1x256 or fc7:columns:32x8");
  return {std::string(pattern), parse_grid(option, trimmed(text.substr(colon + 1))), kind};
}

// Which rule a layer's name falls under; the number of rules if none.
std::size_t rule_of(const std::vector<StrategyRule>& rules, const std::string& name) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const StrategyRule& rule) { return matches(rule.pattern, name); });
  return static_cast<std::size_t>(found - rules.begin());
}

// A layer's name seldom holds a colon: what follows one is more likely a kind, misspelt.
std::string unknown_layers(const std::string& what, const std::string& pattern, const std::vector<std::string>& names) {
  const auto colon = pattern.rfind(':');
  const bool in_names = std::any_of(names.begin(), names.end(),
                                    [](const std::string& name) { return name.find(':') != std::string::npos; });
  if (colon == std::string::npos || in_names) return unknown_choice(what, pattern, names);
  std::vector<std::string> kinds;
  for (const LayerKind kind : kLayerKinds) kinds.emplace_back(name_of(kind));
  return unknown_choice(std::string(kOption) + ": kind", trimmed(std::string_view(pattern).substr(colon + 1)), kinds);
}

void check_rules(const std::vector<StrategyRule>& rules, const Network& network, Grid grid) {
  std::vector<std::string> names;
  std::vector<char> used(rules.size() + 1);
  for (const Layer& layer : network.layers) {
    if (!layer.weighted()) continue;
    names.push_back(layer.name);
    used[rule_of(rules, layer.name)] = 1;
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const StrategyRule& rule = rules[i];
    const std::string what = std::string(kOption) + ": layer";
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return matches(rule.pattern, name); }))
      throw InputError(unknown_layers(what, rule.pattern, names));
    if (used[i] == 0)
      throw InputError(what + "s '" + rule.pattern + "' fall under earlier rules, of which the first that matches " +
                       "wins; expected the narrower pattern first");
    if (rule.grid.size() != grid.size())
      throw InputError(std::string(kOption) + ": grid " + to_string(rule.grid) + " of '" + rule.pattern + "' has " +
                       std::to_string(rule.grid.size()) + " processes; expected " + std::to_string(grid.size()) +
                       ", as --grid " + to_string(grid) + " has");
  }
}

LayerStrategy strategy_of(const Strategy& strategy, const Layer& layer, Grid grid, std::int64_t batch) {
  const bool convolution = layer.type == LayerType::convolution;
  switch (strategy.kind) {
    case Strategy::Kind::uniform:
      return {LayerKind::integrated, grid};
    case Strategy::Kind::conv_batch:
    case Strategy::Kind::pair:  // but for the layers that end one
      return {LayerKind::integrated, convolution ? Grid{1, static_cast<int>(grid.size())} : grid};
    case Strategy::Kind::domain:
      if (convolution) return {LayerKind::domain, domain_grid(grid.size(), batch)};
      return {LayerKind::integrated, grid};
    case Strategy::Kind::rules: {
      const std::size_t rule = rule_of(strategy.rules, layer.name);
      if (rule == strategy.rules.size()) return {LayerKind::integrated, grid};
      return {strategy.rules[rule].kind, strategy.rules[rule].grid};
    }
    case Strategy::Kind::automatic:
      break;
  }
  SIMTRAIN_INVARIANT(false, "no such strategy");
}

// Of a layer with weights. A grid of one row has no strips and no columns to share.
LayerStrategy checked(LayerStrategy decided, const Layer& layer) {
  if (decided.kind == LayerKind::columns && decided.grid.rows == 1 && layer.type == LayerType::linear)
    decided.kind = LayerKind::integrated;
  if (decided.kind != LayerKind::domain) return decided;
  const std::string what = std::string(kOption) + ": layer '" + layer.name + "' ";
  if (layer.type != LayerType::convolution)
    throw InputError(what + "is linear and has no image to cut into strips; expected domain for convolutions only");
  if (layer.out.height < decided.grid.rows)
    throw InputError(what + "puts out images of " + std::to_string(layer.out.height) +
                     " rows, which cannot be cut into the " + std::to_string(decided.grid.rows) +
                     " strips of domain:" + to_string(decided.grid) + "; expected at most a strip for each row");
  if (decided.grid.rows == 1) decided.kind = LayerKind::integrated;
  return decided;
}

// The first layer with weights that what layer `index` puts out comes to.
std::size_t reader_of(const Network& network, std::size_t index) {
  auto at = static_cast<int>(index);
  for (std::size_t i = index + 1; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (std::find(layer.inputs.begin(), layer.inputs.end(), at) == layer.inputs.end()) continue;
    if (layer.weighted()) return i;
    at = static_cast<int>(i);
  }
  return network.layers.size() - 1;
}

}  // namespace

std::string_view name_of(LayerKind kind) {
  constexpr std::array<std::string_view, kLayerKinds.size()> names{"integrated", "domain", "columns"};
  return names[static_cast<std::size_t>(kind)];
}

Grid domain_grid(std::int64_t processes, std::int64_t batch) {
  std::int64_t strips = 1;
  while (processes % strips != 0 || processes / strips > batch) ++strips;
  return {static_cast<int>(strips), static_cast<int>(processes / strips)};
}

Strategy parse_strategy(std::string_view option, std::string_view text) {
  if (text == kUniform) return {};
  if (text == kConvBatch) return {.kind = Strategy::Kind::conv_batch};
  if (text == kPair) return {.kind = Strategy::Kind::pair};
  if (text == kDomain) return {.kind = Strategy::Kind::domain};
  if (text == kAuto) return {.kind = Strategy::Kind::automatic};
  if (text.find(':') == std::string_view::npos)
    throw InputError(unknown_choice(option, text,
                                    {std::string(kUniform), std::string(kConvBatch), std::string(kPair),
                                     std::string(kDomain), std::string(kAuto)}) +
                     "; or rules such as 'conv*:1x256; fc*:32x8'");
  Strategy strategy{.kind = Strategy::Kind::rules};
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::string_view rule = trimmed(text.substr(begin, end - begin));
    // A semicolon at the end separates nothing.
    if (!rule.empty() || end < text.size()) strategy.rules.push_back(parse_rule(option, rule));
    begin = end + 1;
  }
  return strategy;
}

std::string to_string(const LayerStrategy& split) {
  return (split.kind == LayerKind::integrated ? "" : std::string(name_of(split.kind)) + ":") + to_string(split.grid);
}

std::string to_string(const Strategy& strategy) {
  if (strategy.kind == Strategy::Kind::uniform) return std::string(kUniform);
  if (strategy.kind == Strategy::Kind::conv_batch) return std::string(kConvBatch);
  if (strategy.kind == Strategy::Kind::pair) return std::string(kPair);
  if (strategy.kind == Strategy::Kind::domain) return std::string(kDomain);
  if (strategy.kind == Strategy::Kind::automatic) return std::string(kAuto);
  std::string text;
  for (const StrategyRule& rule : strategy.rules)
    text += (text.empty() ? "" : "; ") + rule.pattern + ":" + to_string(LayerStrategy{rule.kind, rule.grid});
  return text;
}

void refuse_auto(const Strategy& strategy, const std::string& instead) {
  if (strategy.kind == Strategy::Kind::automatic)
    throw InputError("--strategy: 'auto' is not possible here; expected " + instead);
}

std::vector<LayerStrategy> decide(const Strategy& strategy, const Network& network, Grid grid, std::int64_t batch) {
  if (strategy.kind == Strategy::Kind::rules) check_rules(strategy.rules, network, grid);
  std::vector<char> ends(network.layers.size());
  if (strategy.kind == Strategy::Kind::pair) ends = ends_of_pairs(network);
  const auto weighted = [&](std::size_t index) {
    LayerStrategy one = strategy_of(strategy, network.layers[index], grid, batch);
    if (ends[index] != 0) one.kind = LayerKind::columns;
    return checked(one, network.layers[index]);
  };
  const auto first = static_cast<std::size_t>(
      std::find_if(network.layers.begin(), network.layers.end(), [](const Layer& layer) { return layer.weighted(); }) -
      network.layers.begin());
  std::vector<LayerStrategy> decided;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (layer.weighted()) {
      decided.push_back(weighted(i));
      continue;
    }
    const int producer = layer.inputs[0];
    const LayerStrategy of_input =
        producer == kNetworkInput ? weighted(first) : decided[static_cast<std::size_t>(producer)];
    const bool from_strips = layer.type == LayerType::flatten && of_input.kind == LayerKind::domain;
    decided.push_back(from_strips ? weighted(reader_of(network, i)) : of_input);
  }
  check_columns(network, decided);
  return decided;
}

}  // namespace simtrain
