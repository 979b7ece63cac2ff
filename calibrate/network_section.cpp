#include "calibrate/network_section.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace simtrain {

double undisturbed_s(std::vector<double> seconds) {
  SIMTRAIN_INVARIANT(!seconds.empty(), "no times");
  const std::size_t rank = (seconds.size() - 1) / 4;
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(rank), seconds.end());
  return seconds[rank];
}

double MessageSample::measured_s() const {
  if (!loaded) return undisturbed_s(seconds);
  return std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
}

const CurveSegment& TimingCurve::segment(std::int64_t bytes) const {
  SIMTRAIN_INVARIANT(!segments.empty(), "a curve without segments");
  const auto found = std::find_if(segments.begin(), segments.end(), [&](const auto& one) { return bytes <= one.to; });
  return found == segments.end() ? segments.back() : *found;
}

bool NetworkPlace::after_computing() const {
  return curves.contains(MessageTiming::one_way_computing) && curves.contains(MessageTiming::exchange_computing);
}

const TimingCurve& NetworkPlace::one_way() const {
  return curves.at(after_computing() ? MessageTiming::one_way_computing : MessageTiming::one_way_idle);
}

const TimingCurve& NetworkPlace::exchange() const {
  if (loaded()) return curves.at(MessageTiming::exchange_loaded);
  return curves.at(after_computing() ? MessageTiming::exchange_computing : MessageTiming::exchange_idle);
}

const TimingCurve& NetworkPlace::exchange_with_same() const {
  const auto found = curves.find(MessageTiming::pair_loaded);
  return found == curves.end() ? exchange() : found->second;
}

const TimingCurve* NetworkPlace::shift() const {
  const auto found = curves.find(MessageTiming::shift_loaded);
  return found == curves.end() ? nullptr : &found->second;
}

const TimingCurve* NetworkPlace::rotation() const {
  const auto found = curves.find(MessageTiming::rotation_loaded);
  return found == curves.end() ? shift() : &found->second;
}

void set_reference(NetworkPlace& place) {
  const TimingCurve& curve = place.curves.at(MessageTiming::one_way_idle);
  const std::int64_t least = curve.segments.front().from, most = curve.segments.back().to;
  place.latency_s = curve.seconds(least);
  const double added_s = curve.seconds(most) - place.latency_s;
  place.bandwidth_Bps = added_s > 0 ? static_cast<double>(most) / added_s : curve.segments.back().bandwidth_Bps;
}

}  // namespace simtrain
