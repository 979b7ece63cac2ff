#include "calibrate/drift.hpp"

#include <algorithm>
#include <unordered_map>

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

std::vector<Drift> drift_of(const std::vector<Sample>& before, const std::vector<Sample>& now) {
  std::unordered_map<Call, double, CallHash> measured;
  for (const Sample& sample : now)
    if (!sample.seconds.empty()) measured.emplace(sample.call, median(sample.seconds));
  std::vector<Drift> drifts;
  for (const auto& [kernel, samples] : by_kernel(before)) {
    Drift drift{kernel, {}};
    std::vector<double> changes;
    for (const Sample& sample : samples)
      if (const auto found = measured.find(sample.call); found != measured.end()) {
        drift.points.push_back({sample.call, median(sample.seconds), found->second});
        changes.push_back(drift.points.back().now_s / drift.points.back().profile_s - 1);
      }
    if (changes.empty()) continue;
    drift.change = median(std::move(changes));
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

}  // namespace simtrain
