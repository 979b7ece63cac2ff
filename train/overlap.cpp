#include "train/overlap.hpp"

#include <array>

#include "base/error.hpp"

namespace simtrain {

namespace {

constexpr std::array<std::string_view, 3> kOverlaps{"none", "gradients", "all"};
constexpr std::array<std::string_view, 3> kProgresses{"ideal", "polling", "none"};

std::size_t place_of(std::string_view option, std::string_view text, const std::array<std::string_view, 3>& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (text == names[i]) return i;
  throw InputError(unknown_choice(option, text, {names.begin(), names.end()}));
}

}  // namespace

std::string_view name_of(Overlap overlap) { return kOverlaps[static_cast<std::size_t>(overlap)]; }
std::string_view name_of(Progress progress) { return kProgresses[static_cast<std::size_t>(progress)]; }

Overlap parse_overlap(std::string_view option, std::string_view text) {
  return static_cast<Overlap>(place_of(option, text, kOverlaps));
}
Progress parse_progress(std::string_view option, std::string_view text) {
  return static_cast<Progress>(place_of(option, text, kProgresses));
}

}  // namespace simtrain
