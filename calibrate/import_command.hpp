// `calibrate import TABLE.csv`: a profile from products that were measured elsewhere, on an accelerator, say.
#pragma once

#include <string>
#include <vector>

#include "calibrate/profile.hpp"

namespace simtrain {

// Rows of a table "m,n,k,transa,transb,seconds" (header line first; transa, transb: N or T; several rows of one shape
// are repetitions) as samples of the three products. InputError naming `path`, line and value.
// Products with both operands transposed are left out: training makes none.
std::vector<Sample> read_products(const std::string& path, const std::string& text);

// Kernels that are not products, as a device with that memory takes them: launch + bytes / bandwidth, bytes being what
// the kernel reads and writes. Samples at sizes through `largest` elements.
std::vector<Sample> streaming_samples(double launch_s, double bandwidth_Bps, std::int64_t largest);

int import_command(const std::vector<std::string>& arguments);

}  // namespace simtrain
