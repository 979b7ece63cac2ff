#include "calibrate/least_squares.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace simtrain {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

std::vector<std::size_t> columns_of(unsigned subset, std::size_t count) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < count; ++j)
    if ((subset >> j & 1U) != 0) columns.push_back(j);
  return columns;
}

// Solves G x = g by Cholesky for the given rows and columns of G (unit diagonal, symmetric). Empty if the columns are
// dependent.
Vector solve(const Matrix& gram, const Vector& right, const std::vector<std::size_t>& columns) {
  const std::size_t n = columns.size();
  Matrix lower(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = gram[columns[i]][columns[j]];
      for (std::size_t k = 0; k < j; ++k) sum -= lower[i][k] * lower[j][k];
      if (i == j && sum < 1e-12) return {};
      lower[i][j] = i == j ? std::sqrt(sum) : sum / lower[j][j];
    }
  Vector x(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = right[columns[i]];
    for (std::size_t k = 0; k < i; ++k) x[i] -= lower[i][k] * x[k];
    x[i] /= lower[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= lower[k][i] * x[k];
    x[i] /= lower[i][i];
  }
  return x;
}

// The normal equations of columns scaled to length 1: terms differ by ten powers of ten.
struct NormalEquations {
  Vector length, right;
  Matrix gram;
};

NormalEquations normal_equations(const Matrix& rows, const Vector& weights) {
  const std::size_t n = rows.front().size();
  NormalEquations equations{Vector(n), Vector(n), Matrix(n, Vector(n))};
  for (std::size_t at = 0; at < rows.size(); ++at)
    for (std::size_t j = 0; j < n; ++j)
      equations.length[j] += (weights.empty() ? 1 : weights[at]) * rows[at][j] * rows[at][j];
  for (double& length : equations.length) length = std::sqrt(length);
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const Vector& row = rows[at];
    const double weight = weights.empty() ? 1 : weights[at];
    for (std::size_t i = 0; i < n; ++i) {
      if (equations.length[i] == 0) continue;
      equations.right[i] += weight * row[i] / equations.length[i];
      for (std::size_t j = 0; j < n; ++j)
        if (equations.length[j] > 0)
          equations.gram[i][j] += weight * row[i] / equations.length[i] * row[j] / equations.length[j];
    }
  }
  return equations;
}

}  // namespace

std::vector<double> relative_least_squares(const std::vector<std::vector<double>>& rows,
                                           const std::vector<double>& weights) {
  SIMTRAIN_INVARIANT(weights.empty() || weights.size() == rows.size(), "a weight for each row");
  SIMTRAIN_INVARIANT(!rows.empty() && !rows.front().empty() && rows.front().size() <= 10, "rows and columns");
  const std::size_t n = rows.front().size();
  const NormalEquations equations = normal_equations(rows, weights);
  Vector best(n);
  double most_explained = 0;
  for (unsigned subset = 1; subset < 1U << n; ++subset) {
    const std::vector<std::size_t> columns = columns_of(subset, n);
    const Vector x = solve(equations.gram, equations.right, columns);
    if (x.empty() || *std::min_element(x.begin(), x.end()) < 0) continue;
    double explained = 0;  // |b|^2 - |Ax - b|^2 of an unconstrained solution
    for (std::size_t i = 0; i < columns.size(); ++i) explained += x[i] * equations.right[columns[i]];
    if (explained <= most_explained) continue;
    most_explained = explained;
    std::fill(best.begin(), best.end(), 0.0);
    for (std::size_t i = 0; i < columns.size(); ++i) best[columns[i]] = x[i] / equations.length[columns[i]];
  }
  return best;
}

}  // namespace simtrain
