// What a rank computes in an exchange: additions of what arrives, copies, clearing.
#pragma once

#include "train/cost.hpp"

namespace simtrain {

// Members of a round ask for the same number of floats one after the other, and looking it up would take longer than
// all else: the last price of each is kept.
class ExchangePrices {
 public:
  explicit ExchangePrices(PricedOperations& prices) : prices_(prices) {}

  double addition_s(std::int64_t floats) { return addition_.seconds(prices_, floats); }
  double copy_s(std::int64_t floats) { return copy_.seconds(prices_, floats); }
  double clear_s(std::int64_t floats) { return clear_.seconds(prices_, floats); }
  // They refer to this object.
  HaloPrices of_halo() {
    return {[this](std::int64_t floats) { return copy_s(floats); },
            [this](std::int64_t floats) { return addition_s(floats); },
            [this](std::int64_t floats) { return clear_s(floats); }};
  }

 private:
  class LastPrice {
   public:
    explicit LastPrice(Operation (*operation)(std::int64_t)) : operation_(operation) {}
    double seconds(PricedOperations& prices, std::int64_t floats) {
      if (floats != floats_) {
        floats_ = floats;
        seconds_ = prices.price(operation_(floats)).seconds;
      }
      return seconds_;
    }

   private:
    Operation (*operation_)(std::int64_t);
    std::int64_t floats_ = -1;
    double seconds_ = 0;
  };

  PricedOperations& prices_;
  LastPrice addition_{[](std::int64_t floats) -> Operation { return ElementwiseOp{Elementwise::add, floats}; }};
  LastPrice copy_{[](std::int64_t floats) -> Operation { return CopyBlock{1, floats, 0, 0}; }};
  LastPrice clear_{[](std::int64_t floats) -> Operation { return Clear{floats}; }};
};

}  // namespace simtrain
