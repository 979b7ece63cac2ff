#include "report/strategy_json.hpp"

#include <limits>

#include "report/json_value.hpp"
#include "report/machine_json.hpp"

namespace simtrain {

namespace {

using nlohmann::ordered_json;

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr int kMost = std::numeric_limits<int>::max();

// Exchanges that few layers have are left out where they take no time.
ordered_json write(const FormulaSeconds& seconds) {
  ordered_json value = {{"compute_s", finite("compute_s", seconds.compute)}};
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    if (computes(phase) || (is_rare(phase) && seconds.exchanges[i] == 0)) continue;
    const std::string key = std::string(kPhaseKeys[i]) + "_s";
    value[key] = finite(key.c_str(), seconds.exchanges[i]);
  }
  return value;
}

FormulaSeconds read_seconds(JsonObject from, double least) {
  FormulaSeconds seconds;
  seconds.compute = from.number("compute_s", least, kLargest);
  for (std::size_t i = 0; i < kPhases; ++i) {
    const auto phase = static_cast<Phase>(i);
    const std::string key = std::string(kPhaseKeys[i]) + "_s";
    if (computes(phase) || (is_rare(phase) && !from.has(key))) continue;
    seconds.exchanges[i] = from.number(key, least, kLargest);
  }
  from.finish();
  return seconds;
}

ordered_json write(const SplitLayer& layer) {
  ordered_json value = {{"name", layer.name}, {"split", layer.split}, {"seconds", write(layer.seconds)}};
  if (!layer.other) {
    value["other"] = nullptr;
  } else {
    const SplitLayer::Other& other = *layer.other;
    value["other"] = {{"split", other.split}, {"more", write(other.more)}, {"changed", other.changed}};
  }
  return value;
}

SplitLayer read_layer(JsonObject from) {
  SplitLayer layer{from.text("name"), from.text("split"), read_seconds(from.object("seconds"), 0), {}};
  if (!from.any("other").is_null()) {
    JsonObject other = from.object("other");
    layer.other = {other.text("split"), read_seconds(other.object("more"), -kLargest), {}};
    for (const nlohmann::json& name : other.array("changed")) {
      if (!name.is_string()) other.refuse("changed", "expected names of layers, found " + name.dump());
      layer.other->changed.push_back(name.get<std::string>());
    }
    other.finish();
  }
  from.finish();
  return layer;
}

StrategyTrial read_trial(JsonObject from) {
  StrategyTrial trial;
  trial.what = from.text("what");
  trial.rules = from.text("rules");
  trial.grid.rows = static_cast<int>(from.integer("grid_rows", 1, kMost));
  trial.grid.columns = static_cast<int>(from.integer("grid_columns", 1, kMost));
  trial.formula_s = from.number("formula_s", 0, kLargest);
  read_outcome(from, trial.iteration_s, trial.error);
  from.finish();
  return trial;
}

}  // namespace

ordered_json to_json_value(const StrategySearchResult& search) {
  ordered_json value = {{"processes", search.processes},
                        {"latency_s", finite("latency_s", search.latency_s)},
                        {"bandwidth_Bps", finite("bandwidth_Bps", search.bandwidth_Bps)},
                        {"assignments", finite("assignments", search.assignments)},
                        {"trials", ordered_json::array()},
                        {"chosen", search.chosen},
                        {"layers", ordered_json::array()}};
  for (const StrategyTrial& trial : search.trials) {
    ordered_json one = {{"what", trial.what},
                        {"rules", trial.rules},
                        {"grid_rows", trial.grid.rows},
                        {"grid_columns", trial.grid.columns},
                        {"formula_s", finite("formula_s", trial.formula_s)}};
    write_outcome(one, trial.iteration_s, trial.error);
    value["trials"].push_back(std::move(one));
  }
  for (const SplitLayer& layer : search.layers) value["layers"].push_back(write(layer));
  return value;
}

StrategySearchResult read_strategy_search(JsonObject from) {
  StrategySearchResult search;
  search.processes = from.integer("processes", 1, kMost);
  search.latency_s = from.number("latency_s", 0, kLargest);
  search.bandwidth_Bps = from.number("bandwidth_Bps", 0, kLargest);
  search.assignments = from.number("assignments", 1, kLargest);
  for (std::size_t i = 0; i < from.array("trials").size(); ++i)
    search.trials.push_back(read_trial(from.element("trials", i)));
  search.chosen = static_cast<int>(from.integer("chosen", 0, static_cast<std::int64_t>(search.trials.size()) - 1));
  for (std::size_t i = 0; i < from.array("layers").size(); ++i)
    search.layers.push_back(read_layer(from.element("layers", i)));
  from.finish();
  return search;
}

}  // namespace simtrain
