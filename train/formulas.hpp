// The cost formulas of Gholami et al., arXiv 1712.04432, as printed: communication of one iteration in seconds, one
// function each, named by its number. alpha: seconds a message; beta: seconds a word of 4 bytes; logs to base 2,
// rounded up. docs/formulas.md says where they differ from what the algorithm sends, which train/cost.hpp prices.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "train/plan.hpp"

namespace simtrain {

struct AlphaBeta {
  double latency_s = 0;
  double seconds_per_byte = 0;
};

// Seconds by report row.
struct ExchangeSeconds {
  std::array<double, kExchanges> by_exchange{};
  [[nodiscard]] double operator[](Exchange exchange) const { return by_exchange[static_cast<std::size_t>(exchange)]; }
  double& operator[](Exchange exchange) { return by_exchange[static_cast<std::size_t>(exchange)]; }
  [[nodiscard]] double total() const;
};

// A layer with weights as the formulas see it.
struct FormulaLayer {
  std::string name;
  bool convolution = false;
  double weights = 0;  // |W_i|, without biases
  double d = 0;        // d_i: values of its output per sample, before or after pooling
  double in_width = 0, in_channels = 0, out_width = 0, out_channels = 0;  // X_W, X_C, Y_W, Y_C
  double kernel = 1;                                                      // k_h = k_w
};

// The layers with weights. After pooling, d_i is the size of what the next layer with weights reads; before, of what
// the layer itself puts out.
std::vector<FormulaLayer> formula_layers(const Network& network, Gather d);

// (3) pure model parallelism: 3 sum_i (alpha ceil(log P) + beta B (P-1)/P d_i)
double formula_3_model(const std::vector<FormulaLayer>& layers, double batch, std::int64_t processes,
                       AlphaBeta network);

// (4) pure batch parallelism: 2 sum_i (alpha ceil(log P) + beta (P-1)/P |W_i|)
double formula_4_batch(const std::vector<FormulaLayer>& layers, std::int64_t processes, AlphaBeta network);

// (6) redistribution of a layer's output, batch to model: alpha ceil(log P) + beta B (P-1)/P d_i
double formula_6_redistribution(const FormulaLayer& layer, double batch, std::int64_t processes, AlphaBeta network);

// (7) domain parallelism, images cut into strips; X of forward, Y of backward halos:
//   sum_i (alpha + beta B X_W X_C floor(k_h/2)) + sum_i (alpha + beta B Y_W Y_C floor(k_w/2))
//   + 2 sum_i (alpha ceil(log P) + beta (P-1)/P |W_i|)
// The term of one layer, and the formula.
ExchangeSeconds formula_7_domain(const FormulaLayer& layer, double batch, std::int64_t processes, AlphaBeta network);
double formula_7_domain(const std::vector<FormulaLayer>& layers, double batch, std::int64_t processes,
                        AlphaBeta network);

// (8) model and batch parallelism, the term of one layer on its grid; the formula is the sum over layers:
//   3 (alpha ceil(log Pr) + beta (B/Pc) (Pr-1)/Pr d_i) + 2 (alpha ceil(log Pc) + beta (Pc-1)/Pc |W_i|/Pr)
// Of the 3, one is the all-gather of Y and two the all-reduce of dX.
ExchangeSeconds formula_8_integrated(const FormulaLayer& layer, double batch, Grid grid, AlphaBeta network);

// (9) all three: (8) over the model layers, (7) with B/Pc over the domain layers
double formula_9_all(const std::vector<FormulaLayer>& model_layers, const std::vector<FormulaLayer>& domain_layers,
                     double batch, Grid grid, AlphaBeta network);

// A layer split by columns, which the paper has not: the all-reduce of Y in place of the all-gather of Y and the
// all-reduce of dX, priced alike:
//   2 (alpha ceil(log Pr) + beta (B/Pc) (Pr-1)/Pr d_i) + 2 (alpha ceil(log Pc) + beta (Pc-1)/Pc |W_i|/Pr)
ExchangeSeconds columns_term(const FormulaLayer& layer, double batch, Grid grid, AlphaBeta network);

// The term of a layer as it is split: of (8) on its grid; on strips x columns of (7) with B/columns; columns_term.
ExchangeSeconds formula_9_term(const FormulaLayer& layer, double batch, const LayerStrategy& split, AlphaBeta network);
// Of all layers with weights, as `strategies` splits those of the network: without the all-gather of Y where layers
// split by columns alone read it.
std::vector<ExchangeSeconds> formula_9_terms(const Network& network, const std::vector<FormulaLayer>& layers,
                                             const std::vector<LayerStrategy>& strategies, double batch,
                                             AlphaBeta speed);

// Formula (8) of a plan, by report row, each layer as it is split, with d_i before pooling; with layers in strips that
// is formula (9).
std::vector<ExchangeSeconds> paper_cost(const Plan& plan, AlphaBeta network);

}  // namespace simtrain
