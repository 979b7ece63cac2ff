// --strategy auto: which kind and grid each layer should have on a platform. Formulas find what is worth a simulation
// (train/search.hpp, train/candidates.hpp), simulations decide (docs/decisions/0016-search.md).
#pragma once

#include "report/result.hpp"
#include "sim/prediction/prediction.hpp"
#include "train/job.hpp"

namespace simtrain {

struct StrategySearchOptions {
  int processes = 1;
  std::optional<Grid> grid;  // of the job whatever is chosen; none: that of the layers that take the most time
  int tries = 5;             // assignments that are simulated; 1: the formulas are believed
};

// --processes and --try.
boost::program_options::options_description strategy_search_options();
// With `strategy` auto, --processes or the grid options say how many processes there are. InputError when neither or
// both do; with any other strategy, when one of these options is given.
std::optional<StrategySearchOptions> strategy_search_from(const boost::program_options::variables_map& values,
                                                          const Strategy& strategy);

// Searches, simulates an iteration of the best `tries` assignments in child processes, and puts the fastest into the
// job: rules for all layers, and a grid. Where the placement is to be chosen too, that is done for these rules later:
// here ranks sit in their order. Alpha and beta are read off the platform for the messages of the grid that is the most
// square, or as given for the formulas. Assignments that do not fit into a host's memory, or cannot be predicted for
// another reason, make room for the next ones and are listed with the reason. InputError when none is left.
// Precondition: the job's strategy is automatic.
StrategySearchResult choose_strategy(Job& job, const PredictionOptions& options, const StrategySearchOptions& how);

}  // namespace simtrain
