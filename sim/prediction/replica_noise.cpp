#include "sim/prediction/replica_noise.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/random.hpp"

namespace simtrain {

namespace {

void set_mean(ReplicaNoise::Repetitions& repetitions) {
  const std::vector<double>& ratios = repetitions.ratios;
  repetitions.mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
}

}  // namespace

class ReplicaNoise::OfRank final : public Noise {
 public:
  OfRank(ReplicaNoise& replica, int rank, double node_factor)
      : replica_(replica), rank_(static_cast<std::uint64_t>(rank)), node_factor_(node_factor) {}

  double factor(const Call& call, std::int64_t times) override {
    const OfCall& known = replica_.of_call(call);
    const std::vector<double>& ratios = known.repetitions->ratios;
    const double unit = unit_of(random_bits(replica_.time_seed_, rank_, drawn_++));
    const double draw = ratios[static_cast<std::size_t>(unit * static_cast<double>(ratios.size()))];
    const double mean = known.repetitions->mean;
    return node_factor_ * known.profile_error * (mean + (draw - mean) / std::sqrt(static_cast<double>(times)));
  }

 private:
  ReplicaNoise& replica_;
  std::uint64_t rank_;
  double node_factor_;
  std::uint64_t drawn_ = 0;
};

std::uint64_t Disturbance::seed_of(Purpose purpose) const {
  return random_bits(seed, static_cast<std::uint64_t>(replica), static_cast<std::uint64_t>(purpose));
}

ReplicaNoise::ReplicaNoise(const KernelTimes& times, const std::string& profile, const Disturbance& disturbance)
    : times_(times), profile_(profile), node_spread_(disturbance.node_spread) {
  error_seed_ = disturbance.seed_of(Disturbance::Purpose::profile_error);
  node_seed_ = disturbance.seed_of(Disturbance::Purpose::node);
  time_seed_ = disturbance.seed_of(Disturbance::Purpose::time);
  for (const Sample& sample : times.samples()) {
    if (sample.seconds.size() < 2) continue;  // equals its median, whatever the noise
    const double middle = median(sample.seconds);
    for (Repetitions* group :
         {&by_region_[{sample.call.kernel, region_of(sample.call)}], &by_kernel_[sample.call.kernel], &all_})
      for (const double seconds : sample.seconds) group->ratios.push_back(seconds / middle);
  }
  if (all_.ratios.empty())
    throw InputError("profile '" + profile + "': every sample was measured once, which tells nothing about noise; " +
                     "expected repetitions (calibrate kernels with --repetitions 5 and enough --budget)");
  for (auto& [region, group] : by_region_) set_mean(group);
  for (auto& [kernel, group] : by_kernel_) set_mean(group);
  set_mean(all_);
}

std::unique_ptr<Noise> ReplicaNoise::of_rank(int rank, int node) {
  return std::make_unique<OfRank>(*this, rank, node_factor(node));
}

double ReplicaNoise::profile_error(const Call& call) const {
  if (const KernelFit* fit = times_.fit(call.kernel); fit != nullptr && fit->measured(call)) return 1;
  const auto kernel = static_cast<std::uint64_t>(call.kernel);
  const std::uint64_t seed = random_bits(error_seed_, kernel, static_cast<std::uint64_t>(call.m));
  const std::uint64_t of_window = random_bits(seed, static_cast<std::uint64_t>(call.window), 0);
  return std::exp(error_spread(call) *
                  random_normal(of_window, static_cast<std::uint64_t>(call.n), static_cast<std::uint64_t>(call.k)));
}

double ReplicaNoise::error_spread(const Call& call) const {
  constexpr int kEnough = 3;  // samples whose median says more about a region than that of the whole kernel does
  if (const KernelFit* fit = times_.fit(call.kernel); fit != nullptr) {
    for (const KernelFit::Region& region : fit->regions())
      if (region.error.samples >= kEnough && region.name == region_of(call)) return log_spread(region.error);
    if (fit->error().samples > 0) return log_spread(fit->error());
  }
  // Nothing was kept aside of this kernel: as bad as the worst of the others.
  double worst = -1;
  for (const Kernel kernel : times_.kernels())
    if (const FitError& error = times_.fit(kernel)->error(); error.samples > 0)
      worst = std::max(worst, log_spread(error));
  if (worst < 0)
    throw InputError("profile '" + profile_ + "': no samples were kept aside, so that the error of its fit is not " +
                     "known; measure more shapes (calibrate kernels), or those of this job (--network, --grid)");
  return worst;
}

double ReplicaNoise::node_factor(int node) const {
  return std::exp(node_spread_ * random_normal(node_seed_, static_cast<std::uint64_t>(node), 0));
}

const ReplicaNoise::Repetitions& ReplicaNoise::repetitions(const Call& call) const {
  if (const auto region = by_region_.find({call.kernel, region_of(call)}); region != by_region_.end())
    return region->second;
  const auto kernel = by_kernel_.find(call.kernel);
  return kernel != by_kernel_.end() ? kernel->second : all_;
}

const ReplicaNoise::OfCall& ReplicaNoise::of_call(const Call& call) {
  auto known = known_.find(call);
  if (known == known_.end()) known = known_.emplace(call, OfCall{profile_error(call), &repetitions(call)}).first;
  return known->second;
}

}  // namespace simtrain
