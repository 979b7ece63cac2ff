#include "train/learning_rate.hpp"

#include <cmath>
#include <numbers>

#include "base/error.hpp"
#include "base/units.hpp"

namespace simtrain {

double LearningRateSchedule::factor(std::int64_t iteration, std::int64_t iterations_per_epoch,
                                    std::int64_t iterations) const {
  switch (kind) {
    case Kind::constant:
      return 1;
    case Kind::step:
      return std::pow(step_factor, static_cast<double>(iteration / iterations_per_epoch / step_epochs));
    case Kind::cosine:
      return (1 + std::cos(std::numbers::pi * static_cast<double>(iteration) / static_cast<double>(iterations))) / 2;
  }
  SIMTRAIN_INVARIANT(false, "unknown schedule");
}

LearningRateSchedule parse_learning_rate_schedule(std::string_view option, std::string_view text) {
  LearningRateSchedule schedule;
  schedule.text = text;
  if (text == "constant") return schedule;
  if (text == "cosine") {
    schedule.kind = LearningRateSchedule::Kind::cosine;
    return schedule;
  }
  constexpr std::string_view prefix = "step:";
  const auto colon = text.rfind(':');
  if (!text.starts_with(prefix) || colon < prefix.size())
    throw InputError(std::string(option) + ": '" + std::string(text) +
                     "' is not a schedule; expected constant, cosine, or step:EPOCHS:FACTOR such as step:30:0.1");
  schedule.kind = LearningRateSchedule::Kind::step;
  schedule.step_epochs = parse_integer(option, text.substr(prefix.size(), colon - prefix.size()), 1, INT32_MAX);
  schedule.step_factor = parse_positive(option, text.substr(colon + 1));
  return schedule;
}

}  // namespace simtrain
