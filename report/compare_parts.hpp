// What a comparison of two simulated results holds beside its phases.
#pragma once

#include "report/compare.hpp"

namespace simtrain {

// Fills comparison.collectives and comparison.links from its results; neither if one is native, since nothing is known
// of its links and schedules.
void add_collectives(Comparison& comparison);
void add_links(Comparison& comparison);

}  // namespace simtrain
