// Rearranges a plan so that communication runs behind computing. Internal to make_plan.
#pragma once

#include "train/plan.hpp"

namespace simtrain {

// As plan.options.overlap asks for; nothing without overlap. The order of steps stays the same on all ranks, so that no
// two of them wait for each other. A plan of two layers with Pr, Pc > 1, its backward pass before, with `gradients` and
// with `all` (+: begin, -: wait):
//   dX2, dW2, all-reduce dX2,  all-reduce dW2, update 2, dW1, all-reduce dW1, update 1
//   dX2, dW2, all-reduce dX2, +all-reduce dW2,           dW1, +all-reduce dW1, -dW2, update 2, -dW1, update 1
//   dX2, +all-reduce dX2, dW2, -dX2, +all-reduce dW2,    dW1, +all-reduce dW1, -dW2, update 2, -dW1, update 1
// Precondition: memory has been assigned.
void overlap_communication(Plan& plan);

}  // namespace simtrain
