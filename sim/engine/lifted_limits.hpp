// Limits of a network that a simulation can do without, to tell what they cost.
#pragma once

namespace simtrain {

// What a network is imagined without, to tell what it costs. contention: every message has the links of its route to
// itself. bandwidth: with contention; bytes take no time.
struct LiftedLimits {
  bool contention = false, latency = false, bandwidth = false;
  [[nodiscard]] bool any() const { return contention || latency || bandwidth; }
};

// What stands for bandwidth without end: so many times that of the links. A power of two, for times that stay exact.
inline constexpr double kWithoutEnd = 0x1p20;

}  // namespace simtrain
