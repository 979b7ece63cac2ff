// What an iteration communicates on every grid Pr x Pc of a number of processes, by each formula of the paper and by
// the program's own schedules: at once, for as many processes as there may be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/compute_cost.hpp"
#include "train/formulas.hpp"
#include "train/plan.hpp"

namespace simtrain {

// With d_i before and after pooling.
struct ByPooling {
  double before_s = 0, after_s = 0;
};

struct GridCost {
  Grid grid;
  std::string impossible;             // why the batch cannot be split so; empty: it can, and the rest is filled
  ByPooling formula_8_s;              // each layer on its grid; (9) where the strategy has layers in strips
  ByPooling formula_6_s;              // where the strategy has a layer's input on another grid
  std::optional<double> schedule_s;   // alpha_beta_cost of the plan's messages, nothing computed; none: too many
  std::optional<double> formula_9_s;  // convolutions in strips over Pr, the rest on the grid, d before pooling; none:
                                      // the batch cannot be split over Pc, or an image is lower than Pr strips. Where
                                      // the strategy has layers in strips: those, and the others as they are
  ExchangeSeconds formula_8_parts;    // of formula_8_s.before_s
  std::optional<ExchangeSeconds> schedule_parts;  // means over ranks: from a rank's call to its return
  std::optional<double> messages;                 // of the schedules: messages_of (train/plan.hpp)
  // With prices, where there is a schedule_s: computing, and the iteration on the ranks' clocks.
  std::optional<ComputeCost> computing;
  std::optional<double> iteration_s;
};

struct CostTable {
  std::vector<FormulaLayer> layers_before, layers_after;  // pooling
  ByPooling formula_3_s;                                  // all layers on Px1
  std::optional<double> formula_4_s;                      // on 1xP; none: P > B
  std::optional<double> formula_7_s;                      // the convolutions alone; none: none, or lower than P strips
  bool in_strips = false;                                 // whether the strategy has layers in strips,
  bool by_columns = false;                                // and layers split by columns, on some grid
  std::vector<GridCost> grids;                            // by formula (8) with d before pooling, impossible ones last
};

// The schedules of grids are executed, those with the fewest messages first, until they have had so many: a second or
// two.
inline constexpr double kMostMessages = 6e6;

struct CostTableOptions {
  double most_messages = kMostMessages;
  PricedOperations* prices = nullptr;  // null: computing is left out
};

// `options`: batch, algorithm, gather and strategy; its grid is not looked at. InputError of decide()
// (train/strategy.hpp). The values depend on the arguments alone.
CostTable cost_table(const Network& network, const PlanOptions& options, int processes, AlphaBeta network_speed,
                     const CostTableOptions& how = {});

}  // namespace simtrain
