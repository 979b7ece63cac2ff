#include "calibrate/kernel_times.hpp"

#include "base/error.hpp"

namespace simtrain {
KernelTimes::KernelTimes(std::vector<Sample> samples) : samples_(std::move(samples)) {
  for (Sample& sample : samples_)
    for (double& seconds : sample.seconds) seconds = to_four_digits(seconds);  // as the file will hold them
  for (const auto& [kernel, of_kernel] : by_kernel(samples_)) fits_.emplace(kernel, KernelFit::fit(kernel, of_kernel));
}

void KernelTimes::complete_from(const KernelTimes& other) {
  for (const auto& [kernel, fit] : other.fits_) {
    if (fits_.contains(kernel)) continue;
    fits_.emplace(kernel, fit);
    for (const Sample& sample : other.samples_)
      if (sample.call.kernel == kernel) samples_.push_back(sample);
  }
}

Estimate KernelTimes::estimate(const Call& call) const {
  const auto fit = fits_.find(call.kernel);
  if (fit == fits_.end())
    throw InputError("profile '" + path_ + "': kernel '" + std::string(name_of(call.kernel)) +
                     "' is missing; measure it with 'calibrate kernels' or choose another profile");
  return fit->second.estimate(call);
}

std::map<Kernel, std::vector<Sample>> by_kernel(const std::vector<Sample>& samples) {
  std::map<Kernel, std::vector<Sample>> groups;
  for (const Sample& sample : samples) groups[sample.call.kernel].push_back(sample);
  return groups;
}

}  // namespace simtrain
