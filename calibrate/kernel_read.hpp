// One kernel of a profile: docs/profile.schema.json says what may stand there.
#pragma once

#include <string>

#include "calibrate/kernel_times.hpp"

namespace simtrain {

// Strict: InputError that names the file, the place and what was expected. `place`: where it stands in the file,
// "kernels.relu"; `text`: the JSON that stands there, an object with "samples" and "fit".
MeasuredKernel read_kernel(Kernel kernel, const std::string& path, const std::string& place, const std::string& text);

}  // namespace simtrain
