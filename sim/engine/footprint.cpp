#include "sim/engine/footprint.hpp"

#include <string>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/units.hpp"

namespace simtrain {

double simulated_bytes(std::int64_t ranks) { return 45.0 * (1 << 20) + 25.0 * 1024 * static_cast<double>(ranks); }

void check_footprint(std::int64_t ranks) {
  const std::optional<double> available = available_bytes();
  if (const double needed = simulated_bytes(ranks); available && needed > *available)
    throw Failure("simulating " + std::to_string(ranks) + " ranks takes about " + format_bytes(needed) +
                  " of memory, and this machine has " + format_bytes(*available) + " left");
}

}  // namespace simtrain
