#include "train/phase_log.hpp"

#include <algorithm>
#include <limits>

namespace simtrain {

void for_each_exchange(const Plan& plan, const std::function<void(int row, Exchange exchange)>& visit) {
  for (const Step& step : plan.steps)
    if (const auto* collective = std::get_if<CollectiveStep>(&step))
      plan.for_each_share(*collective, {}, [&](int row, double) { visit(row, collective->exchange); });
    else if (const auto* redistribute = std::get_if<RedistributeStep>(&step))
      visit(redistribute->row, Exchange::redistribute);
    else if (const auto* halo = std::get_if<HaloStep>(&step))
      visit(halo->row, Exchange::halo);
}

PhaseLog::PhaseLog(const Plan& plan, std::int64_t iterations)
    : stride_((iterations + kMostSamples - 1) / kMostSamples),
      samples_(static_cast<std::size_t>((iterations + stride_ - 1) / stride_)),
      ranks_(static_cast<double>(plan.options.grid.size())) {
  const std::size_t phases = plan.report_layers.size() * kRowPhases;
  has_.assign(phases, 0);
  for (const Step& step : plan.steps)
    if (const auto* compute = std::get_if<ComputeStep>(&step)) has_[entry(compute->row, phase_of(compute->work))] = 1;
  for_each_exchange(plan, [&](int row, Exchange exchange) { has_[entry(row, phase_of(exchange))] = 1; });
  minima_.assign(phases * kQuantities, std::numeric_limits<double>::max());
  maxima_.assign(phases * kQuantities, std::numeric_limits<double>::lowest());
  sums_.assign(phases * (kQuantities + 1 + samples_), 0);
}

void PhaseLog::add(std::int64_t iteration, int row, int phase, double seconds, Interval since_begin) {
  const std::size_t at = entry(row, phase), first = at * kQuantities;
  double* sums = &sums_[at * (kQuantities + 1 + samples_)];
  const std::array<double, kQuantities> values{seconds, since_begin.begin_s, since_begin.end_s};
  for (std::size_t i = 0; i < kQuantities; ++i) {
    minima_[first + i] = std::min(minima_[first + i], values[i]);
    maxima_[first + i] = std::max(maxima_[first + i], values[i]);
    sums[i] += values[i];
  }
  sums[kQuantities] += 1;
  if (iteration % stride_ == 0) sums[kQuantities + 1 + static_cast<std::size_t>(iteration / stride_)] += seconds;
}

PhaseLog::Folded PhaseLog::folded(int row, int phase, Quantity quantity) const {
  const std::size_t at = entry(row, phase), which = static_cast<std::size_t>(quantity);
  const double* sums = &sums_[at * (kQuantities + 1 + samples_)];
  if (sums[kQuantities] == 0) return {};
  // Rounding must not put a mean outside what it is the mean of.
  const double least = minima_[at * kQuantities + which], most = maxima_[at * kQuantities + which];
  return {least, std::clamp(sums[which] / sums[kQuantities], least, most), most};
}

std::vector<double> PhaseLog::sampled_means(int row, int phase) const {
  const double* samples = &sums_[entry(row, phase) * (kQuantities + 1 + samples_) + kQuantities + 1];
  std::vector<double> means(samples, samples + samples_);
  for (double& mean : means) mean /= ranks_;
  return means;
}

}  // namespace simtrain
