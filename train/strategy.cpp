#include "train/strategy.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/name_pattern.hpp"

namespace simtrain {

namespace {

constexpr std::string_view kUniform = "uniform", kConvBatch = "conv-batch", kOption = "--strategy";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view()
                                         : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

StrategyRule parse_rule(std::string_view option, std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || trimmed(text.substr(0, colon)).empty())
    throw InputError(std::string(option) + ": '" + std::string(text) +
                     "' is not a rule; expected LAYERS:GRID, such as conv*:1x256");
  return {std::string(trimmed(text.substr(0, colon))), parse_grid(option, trimmed(text.substr(colon + 1)))};
}

// Which rule a layer's name falls under; the number of rules if none.
std::size_t rule_of(const std::vector<StrategyRule>& rules, const std::string& name) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const StrategyRule& rule) { return matches(rule.pattern, name); });
  return static_cast<std::size_t>(found - rules.begin());
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
      throw InputError(unknown_choice(what, rule.pattern, names));
    if (used[i] == 0)
      throw InputError(what + "s '" + rule.pattern + "' fall under earlier rules, of which the first that matches " +
                       "wins; expected the narrower pattern first");
    if (rule.grid.size() != grid.size())
      throw InputError(std::string(kOption) + ": grid " + to_string(rule.grid) + " of '" + rule.pattern + "' has " +
                       std::to_string(rule.grid.size()) + " processes; expected " + std::to_string(grid.size()) +
                       ", as --grid " + to_string(grid) + " has");
  }
}

Grid grid_of(const Strategy& strategy, const Layer& layer, Grid grid) {
  switch (strategy.kind) {
    case Strategy::Kind::uniform:
      return grid;
    case Strategy::Kind::conv_batch:
      return layer.type == LayerType::convolution ? Grid{1, static_cast<int>(grid.size())} : grid;
    case Strategy::Kind::rules: {
      const std::size_t rule = rule_of(strategy.rules, layer.name);
      return rule < strategy.rules.size() ? strategy.rules[rule].grid : grid;
    }
  }
  SIMTRAIN_INVARIANT(false, "no such strategy");
}

}  // namespace

Strategy parse_strategy(std::string_view option, std::string_view text) {
  if (text == kUniform) return {};
  if (text == kConvBatch) return {.kind = Strategy::Kind::conv_batch};
  if (text.find(':') == std::string_view::npos)
    throw InputError(unknown_choice(option, text, {std::string(kUniform), std::string(kConvBatch)}) +
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

std::string to_string(const Strategy& strategy) {
  if (strategy.kind == Strategy::Kind::uniform) return std::string(kUniform);
  if (strategy.kind == Strategy::Kind::conv_batch) return std::string(kConvBatch);
  std::string text;
  for (const StrategyRule& rule : strategy.rules)
    text += (text.empty() ? "" : "; ") + rule.pattern + ":" + to_string(rule.grid);
  return text;
}

std::vector<LayerStrategy> decide(const Strategy& strategy, const Network& network, Grid grid) {
  if (strategy.kind == Strategy::Kind::rules) check_rules(strategy.rules, network, grid);
  const auto first =
      std::find_if(network.layers.begin(), network.layers.end(), [](const Layer& layer) { return layer.weighted(); });
  std::vector<LayerStrategy> decided;
  for (const Layer& layer : network.layers) {
    if (layer.weighted())
      decided.push_back({LayerKind::integrated, grid_of(strategy, layer, grid)});
    else if (layer.inputs[0] == kNetworkInput)
      decided.push_back({LayerKind::integrated, grid_of(strategy, *first, grid)});
    else
      decided.push_back(LayerStrategy(decided[static_cast<std::size_t>(layer.inputs[0])]));
  }
  return decided;
}

}  // namespace simtrain
