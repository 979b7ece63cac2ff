// How the learning rate changes during training: the factor by which an iteration's rate differs from the given one.
//   constant             1
//   step:EPOCHS:FACTOR   FACTOR^k after k times EPOCHS epochs: "step:30:0.1"
//   cosine               (1 + cos(pi t)) / 2, t from 0 to 1 over all iterations of the job (Loshchilov, Hutter, ICLR
//   2017)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace simtrain {

struct LearningRateSchedule {
  enum class Kind { constant, step, cosine };
  Kind kind = Kind::constant;
  std::int64_t step_epochs = 1;
  double step_factor = 1;
  std::string text = "constant";  // as given

  // iterations_per_epoch >= 1; iteration in [0, iterations).
  [[nodiscard]] double factor(std::int64_t iteration, std::int64_t iterations_per_epoch, std::int64_t iterations) const;
};

// InputError naming the option, the text and what was expected.
LearningRateSchedule parse_learning_rate_schedule(std::string_view option, std::string_view text);

}  // namespace simtrain
