#include "report/csv.hpp"

#include <string_view>
#include <vector>

#include "report/collective_of.hpp"
#include "report/csv_field.hpp"

namespace simtrain {

namespace {

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

// Empty fields where nothing is known.
void add_phase(const LayerResult& layer, std::size_t at, CsvLine& line) {
  if (at >= layer.phases.size() || !layer.phases[at]) return line.add_empty(5);
  const PhaseResult& phase = *layer.phases[at];
  for (const double value : {phase.median_s, phase.p5_s, phase.p95_s, phase.begin_s.mean, phase.end_s.mean})
    line.add(value);
}

void add_exchange(const CollectiveResult& exchange, bool formulas, CsvLine& line) {
  line.add(exchange.waited_s());
  line.add(exchange.reduction_s);
  line.add(exchange.algorithm);
  line.add_count(exchange.group_size);
  for (const double value :
       {exchange.bytes_sent.mean, exchange.bytes_sent.min, exchange.bytes_sent.max, exchange.messages})
    line.add(value);
  if (!formulas) return line.add_empty(2);
  line.add(exchange.alpha_beta_s);
  line.add(exchange.paper_s);
}

std::string line_of(const Result& result, const LayerResult& layer, const Row& row) {
  const LayerGrid grid = layer.grid.value_or(LayerGrid{result.job.grid_rows, result.job.grid_columns});
  const auto at = static_cast<std::size_t>(row.phase);
  CsvLine line;
  line.add(layer.name);
  line.add(layer.kind);
  for (const int value : {grid.rows, grid.columns, layer.strips}) line.add_count(value);
  line.add(kPhaseKeys[at]);
  for (const double value : {row.seconds.mean, row.seconds.min, row.seconds.max}) line.add(value);
  add_phase(layer, at, line);
  if (row.exchange == nullptr)
    line.add_empty(10);
  else
    add_exchange(*row.exchange, result.kind != "native", line);
  return line.text();
}

}  // namespace

std::string to_csv(const Result& result) {
  std::string text(kHeader);
  for (const LayerResult& layer : result.layers)
    for (const Row& row : rows_of(layer)) text += line_of(result, layer, row);
  return text;
}

}  // namespace simtrain
