// The least sum of cost tables over variables that each take one of a few values: exact, by eliminating one variable
// after the other. All tables that hold the variable become one over the variables it shares them with, which has the
// least over its values; going back, each variable takes the value that was least. Bertelè and Brioschi, "Nonserial
// Dynamic Programming", Academic Press, 1972. Where every variable is shared with at most two others, as in a chain or
// a series-parallel graph, these are the node and edge eliminations by which Jia, Lin, Qi and Aiken, "Exploring Hidden
// Dimensions in Parallelizing Convolutional Neural Networks", ICML 2018, split networks: a chain is a shortest path.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace simtrain {

struct CostFactor {
  std::vector<int> scope;     // variables, each once
  std::vector<double> table;  // the last variable's value runs fastest; infinity: not possible
};

// Where in a table over these variables the entry is for the values of all variables, and how many entries it has.
std::size_t entry_of(const std::vector<int>& scope, const std::vector<int>& sizes, const std::vector<int>& values);
std::size_t entries_of(const std::vector<int>& scope, const std::vector<int>& sizes);
double sum_of(const std::vector<CostFactor>& factors, const std::vector<int>& sizes, const std::vector<int>& values);

struct Minimum {
  double sum = std::numeric_limits<double>::infinity();
  std::vector<int> values;  // by variable
};

// Variable i has the values 0 ... sizes[i] - 1, of which those in `barred` (by variable, or empty) are not allowed. Of
// equal ones the same minimum every time. Infinity, and no values, when nothing is possible. Work and memory: the
// number of values to the power of the variables that hang together, two in a chain; more than kMostEntries in a table:
// Failure.
Minimum minimise(const std::vector<CostFactor>& factors, const std::vector<int>& sizes,
                 const std::vector<std::vector<char>>& barred = {});
inline constexpr std::size_t kMostEntries = std::size_t{1} << 26;

}  // namespace simtrain
