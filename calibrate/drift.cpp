#include "calibrate/drift.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/units.hpp"
#include "calibrate/fit.hpp"
#include "calibrate/kernel_times.hpp"
#include "calibrate/workbench.hpp"

namespace simtrain {
namespace {

// `count` of the samples, evenly from the shortest to the longest.
void add_evenly(std::vector<Sample> samples, std::size_t count, std::vector<Sample>& chosen) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return median(a.seconds) < median(b.seconds); });
  for (std::size_t i = 0; i < std::min(count, samples.size()); ++i) {
    const std::size_t at = samples.size() <= count ? i : (2 * i + 1) * samples.size() / (2 * count);
    chosen.push_back(samples[at]);
  }
}

}  // namespace

std::vector<Sample> telling_samples(const Profile& profile, double most_s) {
  std::vector<Sample> chosen;
  for (const auto& [kernel, samples] : by_kernel(profile.samples())) {
    std::vector<Sample> usual, skinny;
    for (const Sample& sample : samples)
      if (sample.call == executable(sample.call) && median(sample.seconds) <= most_s)
        (is_skinny(sample.call) ? skinny : usual).push_back(sample);
    add_evenly(std::move(usual), is_gemm(kernel) ? 8 : 3, chosen);
    add_evenly(std::move(skinny), 4, chosen);
  }
  return chosen;
}

namespace {

std::string shape_of(const Call& call) {
  return std::to_string(call.m) +
         (call.n == 1 && call.k == 1 ? "" : " x " + std::to_string(call.n) + " x " + std::to_string(call.k));
}

void set_change(Drift& drift) {
  std::vector<double> changes;
  for (const Drift::Point& point : drift.points) changes.push_back(point.now_s / point.profile_s - 1);
  drift.change = median(std::move(changes));
}

}  // namespace

std::vector<Drift> drift_of(const std::vector<Sample>& before, const std::vector<Sample>& now) {
  std::unordered_map<Call, double, CallHash> measured;
  for (const Sample& sample : now)
    if (!sample.seconds.empty()) measured.emplace(sample.call, median(sample.seconds));
  std::vector<Drift> drifts;
  for (const auto& [kernel, samples] : by_kernel(before)) {
    Drift drift{.what = std::string(name_of(kernel)), .used_in = std::string(used_in(kernel)), .points = {}};
    for (const Sample& sample : samples)
      if (const auto found = measured.find(sample.call); found != measured.end())
        drift.points.push_back({shape_of(sample.call), median(sample.seconds), found->second});
    if (drift.points.empty()) continue;
    set_change(drift);
    drifts.push_back(std::move(drift));
  }
  return drifts;
}

std::string_view used_in(Kernel kernel) {
  switch (kernel) {
    case Kernel::gemm_nn:
      return "forward of linear and convolution layers";
    case Kernel::gemm_nt:
      return "backward of linear and convolution layers (weight gradient)";
    case Kernel::gemm_tn:
      return "backward of linear and convolution layers (data gradient)";
    case Kernel::im2col:
      return "forward and backward (weight gradient) of convolutions";
    case Kernel::col2im:
      return "backward of convolutions (data gradient)";
    case Kernel::relu:
      return "forward of ReLU";
    case Kernel::relu_gradient:
      return "backward of ReLU";
    case Kernel::add:
      return "additions of all-reduces, residual joins";
    case Kernel::bias:
      return "forward of layers with biases";
    case Kernel::bias_gradient:
      return "backward of layers with biases";
    case Kernel::max_pool:
    case Kernel::average_pool:
      return "forward of pooling";
    case Kernel::max_pool_gradient:
    case Kernel::average_pool_gradient:
      return "backward of pooling";
    case Kernel::flatten:
      return "forward and backward between convolutions and linear layers";
    case Kernel::softmax_loss:
      return "the loss";
    case Kernel::update:
      return "update of all weights";
    case Kernel::batch_norm:
      return "forward of batch normalisation";
    case Kernel::batch_norm_gradient:
      return "backward of batch normalisation";
    case Kernel::dropout:
      return "dropout";
  }
  return "";
}

std::vector<MessageTiming> telling_timings(const NetworkPlace& place) {
  std::vector<MessageTiming> timings{MessageTiming::one_way_idle, MessageTiming::exchange_idle};
  if (place.after_computing())
    timings.insert(timings.end(), {MessageTiming::one_way_computing, MessageTiming::exchange_computing});
  return timings;
}

std::vector<std::int64_t> telling_sizes(const NetworkPlace& place, std::int64_t largest) {
  constexpr std::size_t kSizes = 12;
  std::vector<std::int64_t> sizes, chosen;
  for (const MessageSample& sample : place.curves.at(MessageTiming::one_way_idle).samples)
    if (sample.bytes <= largest) sizes.push_back(sample.bytes);
  const std::size_t count = std::min(kSizes, sizes.size());
  for (std::size_t i = 0; i < count; ++i)
    chosen.push_back(sizes[count == 1 ? 0 : i * (sizes.size() - 1) / (count - 1)]);
  return chosen;
}

namespace {

std::string used_in(MessageTiming timing) {
  std::string what = timing == MessageTiming::exchange_idle || timing == MessageTiming::exchange_computing
                         ? "messages in both directions at once (all rounds of collectives in which partners swap)"
                         : "messages in one direction (rings, redistribution)";
  return what + ", with --network-model calibrated";
}

}  // namespace

std::vector<Drift> drift_of(const NetworkPlace& before,
                            const std::map<MessageTiming, std::vector<MessageSample>>& now) {
  std::vector<Drift> drifts;
  for (const auto& [timing, samples] : now) {
    const auto curve = before.curves.find(timing);
    if (curve == before.curves.end()) continue;
    Drift drift{.what = std::string(name_of(timing)), .used_in = used_in(timing), .points = {}};
    for (const MessageSample& sample : samples)
      for (const MessageSample& old : curve->second.samples)
        if (old.bytes == sample.bytes && !sample.seconds.empty())
          drift.points.push_back(
              {format_bytes(static_cast<double>(sample.bytes)), old.measured_s(), sample.measured_s()});
    if (drift.points.empty()) continue;
    set_change(drift);
    drifts.push_back(std::move(drift));
  }
  return drifts;
}

}  // namespace simtrain
