// What the kernels of training take on a node in one condition: alone or beside others, on so many threads.
#pragma once

#include <compare>
#include <map>
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

// Samples and a fit for each kernel that was measured.
class KernelTimes final : public CostModel {
 public:
  KernelTimes() = default;
  // Fits the samples of every kernel present. Of the samples of a kernel at least one is not kept aside.
  explicit KernelTimes(std::vector<Sample> samples);
  // Fits made earlier, one for each kernel of the samples. `path`: of the profile, for errors.
  KernelTimes(std::string path, std::vector<Sample> samples, std::map<Kernel, KernelFit> fits)
      : path_(std::move(path)), samples_(std::move(samples)), fits_(std::move(fits)) {}

  // Takes the kernels that it lacks from `other`.
  void complete_from(const KernelTimes& other);

  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
  [[nodiscard]] const std::map<Kernel, KernelFit>& fits() const { return fits_; }

  // Outside the box spanned by the samples' m, n and k (per kernel), and for a product with more than twice the work
  // (mnk) of any sample, the fit is extrapolated: measured_range = false.
  [[nodiscard]] Estimate estimate(const Call& call) const override;

 private:
  std::string path_ = "(just measured)";
  std::vector<Sample> samples_;
  std::map<Kernel, KernelFit> fits_;
};

std::map<Kernel, std::vector<Sample>> by_kernel(const std::vector<Sample>& samples);

}  // namespace simtrain
