#include "sim/detail.hpp"

#include <array>
#include <vector>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr std::array<std::string_view, 3> kNames{"auto", "messages", "merged"};

// Up to so many messages of an iteration every one is simulated: a few seconds.
constexpr double kFewMessages = 300'000;

}  // namespace

std::string_view name_of(Detail detail) { return kNames[static_cast<std::size_t>(detail)]; }

Detail parse_detail(std::string_view option, std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == text) return static_cast<Detail>(i);
  throw InputError(unknown_choice(option, text, {kNames.begin(), kNames.end()}));
}

double messages_of(const Plan& plan) {
  double messages = 0;
  for (const Step& step : plan.steps) {
    const auto* collective = std::get_if<CollectiveStep>(&step);
    if (collective == nullptr || collective->algorithm == Algorithm::mpi) continue;
    const int rounds = round_count(collective->algorithm, collective->operation, plan.group(*collective, {}).size);
    messages += static_cast<double>(plan.options.grid.size()) * rounds;
  }
  return messages;
}

Detail resolve(Detail detail, double messages, bool real_payloads, bool library_collectives) {
  const bool possible = !real_payloads && !library_collectives;
  if (detail == Detail::merged && !possible)
    throw InputError(std::string("--detail: 'merged' is not possible with ") +
                     (real_payloads ? "--numerics real" : "the library's own collectives (mpi)") +
                     "; expected messages or auto");
  if (detail != Detail::automatic) return detail;
  return possible && messages > kFewMessages ? Detail::merged : Detail::messages;
}

}  // namespace simtrain
