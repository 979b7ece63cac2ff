#include "sim/prediction/flip.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "sim/prediction/what_if.hpp"

namespace simtrain {

namespace {

constexpr double kRange = 16;

// What the job has of the quantity.
double as_given(const FlipRequest& request, const PlatformResult& platform) {
  switch (request.quantity) {
    case FlipQuantity::bandwidth:
      return platform.bandwidth_Bps;
    case FlipQuantity::latency:
      return platform.latency_s;
    case FlipQuantity::compute:
      return request.options.compute_scale;
    case FlipQuantity::batch:
      return static_cast<double>(request.job.plan.batch);
  }
  SIMTRAIN_INVARIANT(false, "no such quantity");
}

// What the scale is that makes the quantity `value`; of a batch there is none.
double scale_of(const FlipRequest& request, double value, double given) {
  switch (request.quantity) {
    case FlipQuantity::bandwidth:
      return request.options.bandwidth_scale * value / given;
    case FlipQuantity::latency:
      return request.options.latency_scale * value / given;
    case FlipQuantity::compute:
      return value;
    case FlipQuantity::batch:
      break;
  }
  return 1;
}

Variant variant(const FlipRequest& request, Grid grid, double value, double given) {
  Variant changed{request.job, request.options};
  changed.job.plan.grid = grid;
  switch (request.quantity) {
    case FlipQuantity::bandwidth:
      changed.options.bandwidth_scale = scale_of(request, value, given);
      break;
    case FlipQuantity::latency:
      changed.options.latency_scale = scale_of(request, value, given);
      break;
    case FlipQuantity::compute:
      changed.options.compute_scale = value;
      break;
    case FlipQuantity::batch:
      changed.job.plan.batch = static_cast<std::int64_t>(value);
      break;
  }
  return changed;
}

// The first grid that can be had says what the platform is like.
PlatformResult platform_of(const FlipRequest& request) {
  std::string why;
  for (const Grid grid : request.grids) {
    Job job = request.job;
    job.plan.grid = grid;
    job.iterations = 1;
    job.warm_up = 0;
    try {
      return *predict_in_child(job, request.options).platform;
    } catch (const InputError& error) {
      why = error.what();
    }
  }
  throw InputError(why);
}

// As far as --compute-scale and the others go: given bounds are refused, others end there.
void check_scales(const FlipRequest& request, double given, CrossingSearch& search) {
  const double one = scale_of(request, 1, given), least = kLeastScale / one, most = kMostScale / one;
  if (request.quantity == FlipQuantity::batch) return;
  for (const auto& [option, value] : {std::pair{"--from", request.least}, std::pair{"--to", request.most}})
    if (value && (*value < least || *value > most))
      throw InputError(std::string(option) + ": " + format_value(request.quantity, *value) +
                       " is not valid; expected " + format_value(request.quantity, least) + " to " +
                       format_value(request.quantity, most) + ", as --" + std::string(name_of(request.quantity)) +
                       "-scale allows");
  if (!request.least) search.least = std::max(search.least, least);
  if (!request.most) search.most = std::min(search.most, most);
}

}  // namespace

FlipResult find_flips(const FlipRequest& request, const std::function<void(std::size_t)>& progress) {
  FlipResult result;
  result.quantity = request.quantity;
  result.grids = request.grids;
  result.network = request.job.network.name;
  result.platform = request.options.platform;
  result.strategy = to_string(request.job.plan.strategy);
  result.collectives = name_of(request.job.plan.algorithm);
  result.batch = request.job.plan.batch;
  result.passport = request.passport;
  result.as_given = as_given(request, platform_of(request));
  if (!(result.as_given > 0))
    throw InputError("flip: one process sends no messages, so that there is no " +
                     std::string(name_of(request.quantity)) + " to vary; expected two processes or more");
  const bool whole = request.quantity == FlipQuantity::batch;
  CrossingSearch search{.least = request.least.value_or(result.as_given / kRange),
                        .most = request.most.value_or(result.as_given * kRange),
                        .whole_numbers = whole};
  if (whole) search.least = std::max(1.0, search.least);
  check_scales(request, result.as_given, search);
  if (!(search.least > 0) || search.least >= search.most)
    throw InputError("--from, --to: " + format_value(request.quantity, search.least) + " to " +
                     format_value(request.quantity, search.most) + " is no range; expected --from below --to");
  std::map<double, FlipPoint> points;
  std::size_t done = 0;
  const auto best_at = [&](const std::vector<double>& values) {
    std::vector<Variant> variants;
    for (const double value : values)
      for (const Grid grid : request.grids) variants.push_back(variant(request, grid, value, result.as_given));
    const std::vector<VariantTime> times = try_variants(variants, request.at_a_time);
    std::vector<int> best;
    for (std::size_t v = 0; v < values.size(); ++v) {
      FlipPoint& point = points[values[v]];
      point.value = values[v];
      int fastest = -1;
      std::string why;
      for (std::size_t g = 0; g < request.grids.size(); ++g) {
        const VariantTime& time = times[v * request.grids.size() + g];
        point.iteration_s.push_back(time.iteration_s);
        point.errors.push_back(time.error);
        if (!time.iteration_s) why = time.error;
        const auto is_faster = [&] {
          return fastest < 0 || *time.iteration_s < *point.iteration_s[static_cast<std::size_t>(fastest)];
        };
        if (time.iteration_s && is_faster()) fastest = static_cast<int>(g);
      }
      if (fastest < 0)
        throw InputError("at " + format_value(request.quantity, values[v]) + " no grid can be had: " + why);
      best.push_back(fastest);
    }
    progress(done += variants.size());
    return best;
  };
  result.crossings = find_crossings(search, best_at);
  for (const double value : result.crossings.values) result.points.push_back(points.at(value));
  return result;
}

}  // namespace simtrain
