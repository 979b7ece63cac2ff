// What makes a rank's computing differ from the price of its calls: a source of factors.
// sim/prediction/replica_noise.hpp is one; without any a prediction takes every call at its price.
#pragma once

#include "kernels/operation.hpp"

namespace simtrain {

// One rank's. Asked once for each distinct call of each operation that the rank enqueues, in this order, so that a
// source can count what it was asked.
class Noise {
 public:
  Noise() = default;
  Noise(const Noise&) = delete;
  Noise& operator=(const Noise&) = delete;
  virtual ~Noise() = default;
  // > 0: what the seconds of `times` runs of the call, one after the other, are multiplied with.
  virtual double factor(const Call& call, std::int64_t times) = 0;
};

}  // namespace simtrain
