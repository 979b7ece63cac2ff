// What is worth a simulation, of all that a strategy search has priced.
#pragma once

#include <string>
#include <vector>

#include "train/search.hpp"

namespace simtrain {

struct Candidate {
  std::string what;  // "least by the formulas", "uniform on 16x16", "conv2 on 2x128 instead"
  Choice choice;
  double seconds = 0;  // by the formulas
};

// Each choice once. First the least of all; then in turns the plain strategies, each on its best grid, and, for each
// layer, the least with that layer split otherwise; then the plain ones on other grids; all of them by their seconds.
std::vector<Candidate> candidates_of(const StrategySearch& search, int processes);

// Where an iteration spends the most time, by the formulas: layers on one grid, or on strips of it, together.
Grid main_grid(const StrategySearch& search, const Choice& choice);

}  // namespace simtrain
