#include "train/formulas.hpp"

#include <bit>
#include <cmath>
#include <numeric>

#include "train/columns.hpp"

namespace simtrain {

namespace {

constexpr double kWordBytes = sizeof(float);

double beta_of(AlphaBeta network) { return network.seconds_per_byte * kWordBytes; }  // seconds per word

double ceil_log2(std::int64_t n) {
  return static_cast<double>(n <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

// 2 (alpha ceil(log P) + beta (P-1)/P n): an all-reduce of n words.
double all_reduce(double words, std::int64_t processes, AlphaBeta network) {
  const auto p = static_cast<double>(processes);
  return 2 * (network.latency_s * ceil_log2(processes) + beta_of(network) * (p - 1) / p * words);
}

// The size of what comes out of the layers without weights that follow layer `index`, the one right after it first.
double pooled_size(const Network& network, std::size_t index) {
  std::size_t last = index;
  for (std::size_t i = index + 1; i < network.layers.size() && !network.layers[i].weighted(); ++i)
    if (network.layers[i].inputs[0] == static_cast<int>(last)) last = i;
  return static_cast<double>(network.layers[last].out.size());
}

}  // namespace

double ExchangeSeconds::total() const { return std::accumulate(by_exchange.begin(), by_exchange.end(), 0.0); }

std::vector<FormulaLayer> formula_layers(const Network& network, Gather d) {
  std::vector<FormulaLayer> layers;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    if (!layer.weighted()) continue;
    const double own = static_cast<double>(layer.out.size());
    layers.push_back({.name = layer.name,
                      .convolution = layer.type == LayerType::convolution,
                      .weights = static_cast<double>(layer.weight_count()),
                      .d = d == Gather::before_pooling ? own : pooled_size(network, i),
                      .in_width = static_cast<double>(layer.in.width),
                      .in_channels = static_cast<double>(layer.in.channels),
                      .out_width = static_cast<double>(layer.out.width),
                      .out_channels = static_cast<double>(layer.out.channels),
                      .kernel = static_cast<double>(layer.kernel)});
  }
  return layers;
}

double formula_3_model(const std::vector<FormulaLayer>& layers, double batch, std::int64_t processes,
                       AlphaBeta network) {
  const auto p = static_cast<double>(processes);
  double sum = 0;
  for (const FormulaLayer& layer : layers)
    sum += network.latency_s * ceil_log2(processes) + beta_of(network) * batch * (p - 1) / p * layer.d;
  return 3 * sum;
}

double formula_4_batch(const std::vector<FormulaLayer>& layers, std::int64_t processes, AlphaBeta network) {
  double sum = 0;
  for (const FormulaLayer& layer : layers) sum += all_reduce(layer.weights, processes, network);
  return sum;
}

double formula_6_redistribution(const FormulaLayer& layer, double batch, std::int64_t processes, AlphaBeta network) {
  const auto p = static_cast<double>(processes);
  return network.latency_s * ceil_log2(processes) + beta_of(network) * batch * (p - 1) / p * layer.d;
}

namespace {

// Forward and backward: lines of X, and of Y.
double halo(double width, double channels, double batch, const FormulaLayer& layer, AlphaBeta network) {
  return network.latency_s + beta_of(network) * batch * width * channels * std::floor(layer.kernel / 2);
}

}  // namespace

ExchangeSeconds formula_7_domain(const FormulaLayer& layer, double batch, std::int64_t processes, AlphaBeta network) {
  ExchangeSeconds term;
  term[Exchange::halo] = halo(layer.in_width, layer.in_channels, batch, layer, network) +
                         halo(layer.out_width, layer.out_channels, batch, layer, network);
  term[Exchange::reduce_weights] = all_reduce(layer.weights, processes, network);
  return term;
}

double formula_7_domain(const std::vector<FormulaLayer>& layers, double batch, std::int64_t processes,
                        AlphaBeta network) {
  double sum = 0;
  for (const FormulaLayer& layer : layers) {
    sum += halo(layer.in_width, layer.in_channels, batch, layer, network);
    sum += halo(layer.out_width, layer.out_channels, batch, layer, network);
    sum += all_reduce(layer.weights, processes, network);
  }
  return sum;
}

ExchangeSeconds formula_8_integrated(const FormulaLayer& layer, double batch, Grid grid, AlphaBeta network) {
  const double pr = grid.rows, pc = grid.columns;
  const double alpha = network.latency_s, beta = beta_of(network);
  const double samples = batch / pc;  // B/Pc
  const double gather = alpha * ceil_log2(grid.rows) + beta * samples * (pr - 1) / pr * layer.d;
  ExchangeSeconds term;
  term[Exchange::all_gather] = gather;
  term[Exchange::reduce_data] = 2 * gather;
  term[Exchange::reduce_weights] = 2 * (alpha * ceil_log2(grid.columns) + beta * (pc - 1) / pc * layer.weights / pr);
  return term;
}

double formula_9_all(const std::vector<FormulaLayer>& model_layers, const std::vector<FormulaLayer>& domain_layers,
                     double batch, Grid grid, AlphaBeta network) {
  double sum = 0;
  for (const FormulaLayer& layer : model_layers) sum += formula_8_integrated(layer, batch, grid, network).total();
  return sum + formula_7_domain(domain_layers, batch / grid.columns, grid.size(), network);
}

ExchangeSeconds columns_term(const FormulaLayer& layer, double batch, Grid grid, AlphaBeta network) {
  ExchangeSeconds term;
  term[Exchange::reduce_output] = all_reduce(batch / grid.columns * layer.d, grid.rows, network);
  term[Exchange::reduce_weights] = all_reduce(layer.weights / grid.rows, grid.columns, network);
  return term;
}

ExchangeSeconds formula_9_term(const FormulaLayer& layer, double batch, const LayerStrategy& split, AlphaBeta network) {
  if (split.kind == LayerKind::columns) return columns_term(layer, batch, split.grid, network);
  if (split.kind == LayerKind::integrated) return formula_8_integrated(layer, batch, split.grid, network);
  return formula_7_domain(layer, batch / split.grid.columns, split.grid.size(), network);
}

std::vector<ExchangeSeconds> formula_9_terms(const Network& network, const std::vector<FormulaLayer>& layers,
                                             const std::vector<LayerStrategy>& strategies, double batch,
                                             AlphaBeta speed) {
  const std::vector<char> whole = read_whole(network, strategies);
  std::vector<ExchangeSeconds> terms;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].weighted()) continue;
    terms.push_back(formula_9_term(layers[terms.size()], batch, strategies[i], speed));
    if (whole[i] == 0) terms.back()[Exchange::all_gather] = 0;
  }
  return terms;
}

std::vector<ExchangeSeconds> paper_cost(const Plan& plan, AlphaBeta network) {
  const std::vector<FormulaLayer> layers = formula_layers(plan.network, Gather::before_pooling);
  return formula_9_terms(plan.network, layers, plan.strategies, static_cast<double>(plan.options.batch), network);
}

}  // namespace simtrain
