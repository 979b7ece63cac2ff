// Fits curves to message times: piecewise linear, with jumps where the MPI library changes its protocol.
//
// 0 bytes, which are never copied, are a segment of their own. For each number of others, the ends that minimise the
// sum of squared relative errors (trimmed, weighted) are found exactly (dynamic programming over the sizes; Bellman,
// "On the approximation of curves by line segments using dynamic programming", CACM 4(6), 1961). Time grows with the
// size in each. Cross-validation chooses the number: the fewest segments whose error on sizes that they did not see is
// within a twentieth, or a tenth of a percent, of the best. The samples kept aside take no part and judge.
#pragma once

#include "calibrate/network_section.hpp"

namespace simtrain {

inline constexpr std::size_t kMostSegments = 12;
inline constexpr std::size_t kLeastSizesPerSegment = 3;

// Marks a fifth of the sizes, chosen by `seed`, but never the smallest or the largest, nor powers of two: protocols
// change there, at the power itself or after it, as an MPI library counts its header.
void keep_aside(std::vector<MessageSample>& samples, std::uint64_t seed);

// samples: sorted by size, each size once, with at least one time each; at least one that is not kept aside.
TimingCurve fit_curve(std::vector<MessageSample> samples);

// Where the protocol changes between two sizes that lie in different segments: the last size of the former. MPI
// libraries switch at powers of two: the largest one in [before, after) if there is one, else the geometric mean.
std::int64_t switch_point(std::int64_t before, std::int64_t after);

}  // namespace simtrain
