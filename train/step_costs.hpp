// What the steps of a plan take, without contention, on a few ranks that stand for all: those with the largest parts.
// So thousands of plans are priced in a second, also those of thousands of ranks, whose clocks train/cost.hpp would all
// keep.
//
// Where sizes and numbers of ranks are powers of two, so that ranks are in step, the sum over the steps is that of
// train/cost.hpp. Where they are not, it differs by what ranks wait for each other in a step, which is not seen, or do
// not wait because another one was slower in the step before, which is counted: by two percent at most in random
// assignments of AlexNet, VGG-16 and ResNet-50 on 60 to 4096 ranks, by up to five for images of a few odd rows
// (tests/unit/search_test.cpp prints it). Of layers in strips, all strips of the first grid column are looked at: those
// at the edge of an image have one neighbour less.
//
// Redistributions have their own order in which ranks wait for each other: they are priced on the clocks of all ranks,
// or of two blocks of ranks that talk among themselves; where that is thousands of messages, on the rounds of two
// ranks.
//
// What a step takes does not depend on what comes before it, but for the end of a halo exchange, which is hidden by the
// computing since its begin: of the same layer.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "train/cost.hpp"
#include "train/exchange_prices.hpp"

namespace simtrain {

class StepCosts {
 public:
  // `prices` must outlive the object.
  StepCosts(PricedOperations& prices, AlphaBeta network) : prices_(prices), network_(network), exchange_(prices) {}

  // Seconds by step. What overlaps is priced as if it did not, as in train/cost.hpp.
  std::vector<double> of(const Plan& plan);

 private:
  friend class StepWalk;
  // Everything that a collective or a redistribution depends on: the same ones are asked for over and over.
  using CollectiveKey = std::array<std::int64_t, 5>;
  using ArrayKey = std::array<std::int64_t, 32>;
  struct HaloCost {  // by strip
    std::vector<double> begun, through, unpacked;
  };
  static ArrayKey key_of(const Redistribution& array, bool gradient);

  double collective_s(CollectiveOp operation, Algorithm algorithm, const Partition& blocks);
  double redistribution_s(const Redistribution& array);
  double walked_s(const Redistribution& array, int rank);
  const HaloCost& halo(const Halo& halo);

  PricedOperations& prices_;
  AlphaBeta network_;
  ExchangePrices exchange_;
  std::map<CollectiveKey, double> collectives_;
  std::map<ArrayKey, double> redistributions_;
  std::map<ArrayKey, HaloCost> halos_;
};

}  // namespace simtrain
