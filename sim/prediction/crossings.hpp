// At which value of a quantity another candidate becomes the best one.
#pragma once

#include <functional>
#include <vector>

namespace simtrain {

// All candidates at one value of the quantity, or at several at once, since that can use several cores: for each value
// the number of the best candidate, the same one whenever it is asked.
using BestAt = std::function<std::vector<int>(const std::vector<double>& values)>;

struct Crossing {
  double below = 0, above = 0;  // between these two values,
  int before = 0, after = 0;    // from this candidate to that one
};

struct CrossingSearch {
  double least = 0, most = 0;  // of the values looked at; 0 < least < most
  int samples = 5;             // so many values at first, in equal ratios
  double ratio = 1.01;         // until above / below is at most this
  bool whole_numbers = false;  // or until they differ by one
};

struct Crossings {
  std::vector<double> values;       // all that were looked at, rising
  std::vector<int> best;            // the best candidate at each
  std::vector<Crossing> crossings;  // rising
};

// Bisection, in ratios, between neighbours with different best candidates, all such gaps at a time. What happens twice
// between two of the first samples, there and back, is not seen.
Crossings find_crossings(const CrossingSearch& search, const BestAt& best_at);

}  // namespace simtrain
