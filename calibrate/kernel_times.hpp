// What the kernels of training take on a node in one condition: alone or beside others, on so many threads.
#pragma once

#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/fit.hpp"

namespace simtrain {

// How busy the node is.
struct Load {
  int threads = 1;    // of the BLAS, in each process
  int processes = 1;  // on the node, each computing the same at the same time
  auto operator<=>(const Load&) const = default;
};

struct MeasuredKernel {
  std::vector<Sample> samples;
  KernelFit fit;
};

// Samples and a fit for each kernel that was measured. Copies share what they hold.
class KernelTimes final : public CostModel {
 public:
  // Called once, when the kernel is first asked for; may throw.
  using Read = std::function<MeasuredKernel()>;

  KernelTimes() = default;
  // Fits the samples of every kernel present. Of the samples of a kernel at least one is not kept aside.
  explicit KernelTimes(std::vector<Sample> samples);
  // Kernels that were measured and fitted earlier. `path`: of the profile, for errors.
  KernelTimes(std::string path, std::map<Kernel, Read> kernels);

  // Takes the kernels that it lacks from `other`.
  void complete_from(const KernelTimes& other);

  [[nodiscard]] std::vector<Kernel> kernels() const;  // that were measured, in their order
  // Of all kernels: as they were measured, or kernel by kernel.
  [[nodiscard]] const std::vector<Sample>& samples() const;
  // Null for a kernel that was not measured.
  [[nodiscard]] const KernelFit* fit(Kernel kernel) const;

  // Outside the box spanned by the samples' m, n and k (per kernel), and for a product with more than twice the work
  // (mnk) of any sample, the fit is extrapolated: measured_range = false.
  [[nodiscard]] Estimate estimate(const Call& call) const override;

 private:
  struct Entry;
  [[nodiscard]] const MeasuredKernel* find(Kernel kernel) const;

  std::string path_ = "(just measured)";
  std::map<Kernel, std::shared_ptr<Entry>> entries_;
  std::vector<Kernel> order_;            // of the kernels in samples()
  mutable std::vector<Sample> samples_;  // empty: not asked for
};

std::map<Kernel, std::vector<Sample>> by_kernel(const std::vector<Sample>& samples);

}  // namespace simtrain
