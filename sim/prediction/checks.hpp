// What is wrong with a prediction before it is simulated.
#pragma once

#include "calibrate/kernel_times.hpp"
#include "calibrate/profile.hpp"
#include "train/plan.hpp"

namespace simtrain {

// Of a prediction's time: what lies further outside of what was measured is no prediction, unless the user wants it.
inline constexpr double kMostExtrapolated = 0.5;

// InputError when a kernel of the plan is not in the profile, or, without `extrapolate`, most of the time that rank 0
// computes is outside of what was measured.
void check_profile(const Plan& plan, const Load& load, const Profile& profile, bool extrapolate);

// InputError when a rank needs more memory than any machine has.
void check_size(const Plan& plan);

}  // namespace simtrain
