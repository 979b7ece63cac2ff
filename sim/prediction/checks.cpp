#include "sim/prediction/checks.hpp"

#include "base/error.hpp"
#include "base/units.hpp"
#include "kernels/modelled.hpp"

namespace simtrain {

namespace {

// " --grid 32x8 --grid 1x256": for a command that measures what a plan needs.
std::string grid_options(const Plan& plan) {
  std::string text;
  for (const Grid grid : plan.grids()) text += " --grid " + to_string(grid);
  return text;
}

// " on nodes where 2 ranks compute at once on 2 threads each, for which it was not measured"
std::string load_text(const Load& load) {
  const auto counted = [](int number, const std::string& what) {
    return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
  };
  return " on nodes where " + counted(load.processes, "rank") +
         (load.processes == 1 ? " computes" : " compute at once") + ", on " + counted(load.threads, "thread") +
         (load.processes == 1 ? "" : " each") + ", for which the profile was not measured";
}

}  // namespace

void check_profile(const Plan& plan, const Load& load, const Profile& profile, bool extrapolate) {
  PricedOperations prices(profile.at(load), 1, profile.exceeded_by(load));
  double seconds = 0, extrapolated_s = 0;
  for (const Step& step : plan.steps) {
    const auto* compute = std::get_if<ComputeStep>(&step);
    const Operation other = std::holds_alternative<RedistributeStep>(step) ? Operation(CopyBlock{1, 1, 1, 1})
                                                                           : ElementwiseOp{Elementwise::add, 1};
    const OperationCost cost = prices.price(compute != nullptr ? plan.operation(*compute, {}) : other);
    if (compute == nullptr) continue;
    seconds += cost.seconds;
    extrapolated_s += cost.extrapolated_s;
  }
  if (!extrapolate && extrapolated_s > kMostExtrapolated * seconds)
    throw InputError(
        "profile '" + profile.path() + "': " + format_percent(extrapolated_s / seconds) +
        " of the compute time lies outside what was measured" +
        (profile.exceeded_by(load) ? ":" + load_text(load)
                                   : "; expected at most " + format_percent(kMostExtrapolated)) +
        ". Measure it (calibrate kernels --network " + plan.network.name + " --batch " +
        std::to_string(plan.options.batch) + grid_options(plan) +
        (load.threads > 1 ? " --threads " + std::to_string(load.threads) : "") +
        (load.processes > 1 ? " --loaded, on a node of " + std::to_string(load.processes) + " cores" : "") +
        "), or accept it with --extrapolate");
}

void check_size(const Plan& plan) {
  // What a phantom can stand for (kernels/modelled.cpp), with room to spare.
  constexpr double kMostBytes = double(std::int64_t{1} << 43);
  if (const double bytes = memory_of(plan, {}).total(); bytes > kMostBytes)
    throw InputError("--batch " + std::to_string(plan.options.batch) + " of network '" + plan.network.name +
                     "' on grid " + to_string(plan.options.grid) + ": a rank would need " + format_bytes(bytes) +
                     "; expected at most " + format_bytes(kMostBytes));
}

}  // namespace simtrain
