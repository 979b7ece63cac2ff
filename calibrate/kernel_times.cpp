#include "calibrate/kernel_times.hpp"

#include <optional>

#include "base/error.hpp"

namespace simtrain {

struct KernelTimes::Entry {
  Read read;
  std::optional<MeasuredKernel> measured;  // once it was read
};

KernelTimes::KernelTimes(std::vector<Sample> samples) : samples_(std::move(samples)) {
  for (Sample& sample : samples_)
    for (double& seconds : sample.seconds) seconds = to_four_digits(seconds);  // as the file will hold them
  for (const auto& [kernel, of_kernel] : by_kernel(samples_)) {
    order_.push_back(kernel);
    entries_.emplace(kernel,
                     std::make_shared<Entry>(Entry{{}, MeasuredKernel{of_kernel, KernelFit::fit(kernel, of_kernel)}}));
  }
}

KernelTimes::KernelTimes(std::string path, std::map<Kernel, Read> kernels) : path_(std::move(path)) {
  for (auto& [kernel, read] : kernels) {
    order_.push_back(kernel);
    entries_.emplace(kernel, std::make_shared<Entry>(Entry{std::move(read), {}}));
  }
}

void KernelTimes::complete_from(const KernelTimes& other) {
  for (const auto& [kernel, entry] : other.entries_) {
    if (!entries_.emplace(kernel, entry).second) continue;
    order_.push_back(kernel);
    if (samples_.empty()) continue;
    const std::vector<Sample>& more = other.find(kernel)->samples;
    samples_.insert(samples_.end(), more.begin(), more.end());
  }
}

const MeasuredKernel* KernelTimes::find(Kernel kernel) const {
  const auto found = entries_.find(kernel);
  if (found == entries_.end()) return nullptr;
  Entry& entry = *found->second;
  if (!entry.measured) {
    entry.measured = entry.read();
    entry.read = nullptr;  // with what it held
  }
  return &*entry.measured;
}

std::vector<Kernel> KernelTimes::kernels() const {
  std::vector<Kernel> kernels;
  for (const auto& [kernel, entry] : entries_) kernels.push_back(kernel);
  return kernels;
}

const std::vector<Sample>& KernelTimes::samples() const {
  if (samples_.empty())
    for (const Kernel kernel : order_) {
      const std::vector<Sample>& some = find(kernel)->samples;
      samples_.insert(samples_.end(), some.begin(), some.end());
    }
  return samples_;
}

const KernelFit* KernelTimes::fit(Kernel kernel) const {
  const MeasuredKernel* measured = find(kernel);
  return measured == nullptr ? nullptr : &measured->fit;
}

Estimate KernelTimes::estimate(const Call& call) const {
  const KernelFit* measured = fit(call.kernel);
  if (measured == nullptr)
    throw InputError("profile '" + path_ + "': kernel '" + std::string(name_of(call.kernel)) +
                     "' is missing; measure it with 'calibrate kernels' or choose another profile");
  return measured->estimate(call);
}

std::map<Kernel, std::vector<Sample>> by_kernel(const std::vector<Sample>& samples) {
  std::map<Kernel, std::vector<Sample>> groups;
  for (const Sample& sample : samples) groups[sample.call.kernel].push_back(sample);
  return groups;
}

}  // namespace simtrain
