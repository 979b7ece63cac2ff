// What a point takes at least, without simulating it: what --prune compares with the fastest point so far.
//
// Claim: no rank's simulated iteration is shorter than its bound below; so the iteration, which is that of the slowest
// rank, is not shorter than the bound of any rank.
//
// Without overlap, everything that a rank does in an iteration happens one thing after the other on its own clock
// (train/trainer.cpp): computing, and in collectives and redistributions round after round, each of which ends when the
// rank's message has arrived (sends are rendezvous, sim/engine/engine.cpp) and before what arrived is added. Hence
//
//   iteration of r  >=  computing of r + additions of r + sum over its rounds (latency + bytes / narrowest bandwidth)
//
// with latency and bandwidth those of the route that the message takes on this very platform: a message that meets
// others gets less than the whole of each of its links, never more, and envelopes, waiting for the other end and what
// the rank receives only add to it. Computing is priced as the simulation does, for the same load, and slow hosts only
// make it longer; degraded links only narrow routes, and are taken as they are when whole. With overlap, three things
// go on at a time: the rank's computing, its collectives in the background (one after the other), and those that are
// not. Each is a chain of its own, so that the longest of the three is a bound, and not their sum. Additions may be on
// another core then, and do not count. Merged rounds (train/merged.hpp) send the same bytes in one message and pass the
// latencies of all.
//
// Left out, since counting nothing keeps it a bound: halo exchanges, copies of redistributions, the messages of the
// library's own collectives (Algorithm::mpi), which are not ours to know, and all messages with --network-model
// calibrated, whose factors may be faster than the platform's links.
//
// Clocks of simulations are sums in other orders than this one, and SimGrid ends an activity when less than a millionth
// of it is left: the bound is a thousandth less than the sum.
#pragma once

#include <memory>
#include <optional>

#include "sim/prediction/prediction.hpp"

namespace simtrain {

// The points of one platform. One per process, which cannot simulate besides.
class PlatformBounds {
 public:
  // InputError for a platform or profile that cannot be loaded.
  explicit PlatformBounds(const PredictionOptions& options);
  ~PlatformBounds();
  PlatformBounds(const PlatformBounds&) = delete;
  PlatformBounds& operator=(const PlatformBounds&) = delete;

  // Seconds of an iteration. With placement `auto` that of the placement with the least bound. Of jobs with many ranks
  // some ranks are looked at. InputError when the job cannot be placed. `options`: of the same platform and profile.
  [[nodiscard]] double lower_bound_s(const Job& job, const PredictionOptions& options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace simtrain
