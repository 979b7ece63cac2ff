// Where a sweep's numbers come from.
#pragma once

#include "report/passport.hpp"
#include "sim/sweep/results.hpp"

namespace simtrain {

// Made here and now. Arguments are none that anybody typed but all that the sweep depends on, defaults included, so that
// whoever has the results, merged from whatever files, has the same ones; simtrain sweep with them makes it again.
Passport passport_of(const SweepInputs& inputs);

}  // namespace simtrain
