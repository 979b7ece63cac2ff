// Pictures of a profile, drawn by gnuplot (Debian package gnuplot-nox).
#pragma once

#include <string>

#include "calibrate/profile.hpp"

namespace simtrain {

// The bytes of a picture: Gflop/s of matrix products over their size, measured and as the profile prices them.
// format: "svg", "png", or "text" for a terminal. Failure when gnuplot is missing or fails.
std::string plot_products(const Profile& profile, const std::string& format);

// The same for messages: microseconds over bytes, one way and both ways at once, measured and fitted, of each place
// that the profile's network section has. InputError when it has none.
std::string plot_messages(const Profile& profile, const std::string& format);

}  // namespace simtrain
