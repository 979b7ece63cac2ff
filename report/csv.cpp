#include "report/csv.hpp"

#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "report/collective_of.hpp"
#include "report/csv_field.hpp"

namespace simtrain {

namespace {

std::string number(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return {digits.data(), end};
}

// One phase of a layer: what it takes, and of an exchange what it is.
struct Row {
  Phase phase;
  const Spread& seconds;
  const CollectiveResult* exchange;  // none: computing
};

std::vector<Row> rows_of(const LayerResult& layer) {
  std::vector<Row> rows{{Phase::forward, layer.forward_s, nullptr},
                        {Phase::backward, layer.backward_s, nullptr},
                        {Phase::update, layer.update_s, nullptr}};
  for_each_collective(layer, [&](Phase phase, const CollectiveResult& exchange) {
    if (exchange.algorithm != "none") rows.push_back({phase, exchange.seconds, &exchange});
  });
  return rows;
}

constexpr std::string_view kHeader =
    "layer,kind,grid_rows,grid_columns,strips,phase,mean_s,min_s,max_s,median_s,p5_s,p95_s,begin_s,end_s,exposed_s,"
    "adding_s,algorithm,ranks,sent_mean_bytes,sent_min_bytes,sent_max_bytes,messages,alpha_beta_s,formula_s\n";

std::vector<std::string> fields(const Result& result, const LayerResult& layer, const Row& row) {
  const LayerGrid grid = layer.grid.value_or(LayerGrid{result.job.grid_rows, result.job.grid_columns});
  const auto at = static_cast<std::size_t>(row.phase);
  std::vector<std::string> fields{csv_text(layer.name),         csv_text(layer.kind),         std::to_string(grid.rows),
                                  std::to_string(grid.columns), std::to_string(layer.strips), kPhaseKeys[at],
                                  number(row.seconds.mean),     number(row.seconds.min),      number(row.seconds.max)};
  if (at < layer.phases.size() && layer.phases[at]) {
    const PhaseResult& phase = *layer.phases[at];
    for (const double value : {phase.median_s, phase.p5_s, phase.p95_s, phase.begin_s.mean, phase.end_s.mean})
      fields.push_back(number(value));
  } else {
    fields.insert(fields.end(), 5, "");
  }
  if (row.exchange == nullptr) {
    fields.insert(fields.end(), 10, "");
    return fields;
  }
  const CollectiveResult& exchange = *row.exchange;
  const bool formulas = result.kind != "native";
  fields.insert(fields.end(),
                {number(exchange.waited_s()), number(exchange.reduction_s), csv_text(exchange.algorithm),
                 std::to_string(exchange.group_size), number(exchange.bytes_sent.mean), number(exchange.bytes_sent.min),
                 number(exchange.bytes_sent.max), number(exchange.messages),
                 formulas ? number(exchange.alpha_beta_s) : "", formulas ? number(exchange.paper_s) : ""});
  return fields;
}

}  // namespace

std::string to_csv(const Result& result) {
  std::string text(kHeader);
  for (const LayerResult& layer : result.layers)
    for (const Row& row : rows_of(layer)) {
      for (const std::string& field : fields(result, layer, row)) text += field + ",";
      text.back() = '\n';
    }
  return text;
}

}  // namespace simtrain
