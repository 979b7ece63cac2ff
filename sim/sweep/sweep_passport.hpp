// Where a sweep's numbers come from.
#pragma once

#include "report/passport.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

// Made here and now. Arguments are none that anybody typed but all that the sweep depends on: its points, the seed, and
// what differs from the defaults. So whoever has the results, merged from whatever files, has the same ones, and
// simtrain sweep with them makes it again.
Passport passport_of(const SweepInputs& inputs);

}  // namespace simtrain
