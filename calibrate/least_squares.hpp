// Least squares with coefficients that must not be negative: a kernel never gets faster because it has more to do.
#pragma once

#include <vector>

namespace simtrain {

// x >= 0 that minimises sum over rows i of weights[i] * (sum_j rows[i][j]*x[j] - 1)^2: with rows[i][j] =
// term_j(shape_i) / seconds_i these are relative errors, so that short calls weigh as much as long ones. Without
// weights all are 1. Preconditions: at least one row; all rows have the same number of columns, at most 10; entries
// finite and >= 0; as many weights as rows, or none, above 0.
//
// The optimum is the unconstrained solution on some subset of the columns (the others are 0): with this few columns
// every subset is tried, which needs no iteration and no tolerance.
std::vector<double> relative_least_squares(const std::vector<std::vector<double>>& rows,
                                           const std::vector<double>& weights = {});

}  // namespace simtrain
