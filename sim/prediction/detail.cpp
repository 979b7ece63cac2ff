#include "sim/prediction/detail.hpp"

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

Detail resolve(Detail detail, double messages, const MessagesNeeded& needed) {
  std::string why;
  if (needed.real_payloads) why = "--numerics real";
  if (needed.library_collectives) why = "the library's own collectives (mpi)";
  if (needed.overlap) why = "--overlap";
  if (needed.by_size) why = "--network-model calibrated";
  if (detail == Detail::merged && !why.empty())
    throw InputError("--detail: 'merged' is not possible with " + why + "; expected messages or auto");
  if (detail != Detail::automatic) return detail;
  return why.empty() && messages > kFewMessages ? Detail::merged : Detail::messages;
}

}  // namespace simtrain
