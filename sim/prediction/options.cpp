#include "base/options.hpp"

#include "base/error.hpp"
#include "base/units.hpp"
#include "sim/placement/placement_options.hpp"
#include "sim/prediction/prediction.hpp"

namespace po = boost::program_options;

namespace simtrain {

namespace {

const std::vector<std::pair<std::string, NetworkModel>> kNetworkModels{{"linear", NetworkModel::linear},
                                                                       {"calibrated", NetworkModel::calibrated}};

template <typename Value>
Value choose(const std::string& option, const std::string& text,
             const std::vector<std::pair<std::string, Value>>& choices) {
  std::vector<std::string> names;
  for (const auto& [name, value] : choices) {
    if (name == text) return value;
    names.push_back(name);
  }
  throw InputError(unknown_choice(option, text, names));
}

double factor_from(const po::variables_map& values, const std::string& option) {
  const double factor = parse_positive("--" + option, text_of(values, option));
  if (factor < kLeastScale || factor > kMostScale)
    throw InputError("--" + option + ": '" + text_of(values, option) +
                     "' is not valid; expected a factor from 0.000001 to 1000000");
  return factor;
}

}  // namespace

po::options_description prediction_options() {
  po::options_description options("The simulated cluster");
  const auto word = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()("platform", word("FILE|SPEC"),
                        "SimGrid XML (torus.xml, fat-tree.xml, ethernet.xml or your own), or one word:\n"
                        "torus:16x16x16,bandwidth=6GBps,latency=1us")(
      "profile", word("NAME|FILE")->default_value("xeon-openblas-0.3.21-skylakex"),
      "measured kernel times of a node (calibrate kernels)")(
      "network-model", word("WHICH")->default_value("linear"),
      "linear: latency + bytes / bandwidth of the platform; calibrated: times factors for the size of each message, as "
      "the "
      "profile's network section has them (calibrate network)")(
      "detail", word("HOW")->default_value("auto"),
      "messages: simulate every message; merged: rounds of a collective that repeat the same traffic as one flow; "
      "auto: messages up to 300 000 of them an iteration, and where flows share links unequally")(
      "numerics", word("WHICH")->default_value("phantom"),
      "phantom: times only; real: also compute and send real numbers")(
      "compute-scale", word("X")->default_value("1"), "2: nodes that compute twice as fast as the profile's")(
      "bandwidth-scale", word("X")->default_value("1"), "2: all links between hosts with twice the bandwidth")(
      "latency-scale", word("X")->default_value("1"), "0.5: all links between hosts with half the latency")(
      "extrapolate", "predict even if more than half of the compute time lies outside the profile's measured range")(
      "host-memory", word("SIZE"), "memory of a host, such as 64GiB (default: the platform's)")(
      "formula-latency", word("TIME"), "alpha for the formulas (default: read off the platform)")(
      "formula-bandwidth", word("RATE"), "1/beta for the formulas (default: read off the platform)");
  options.add(placement_options());
  options.add(slow_parts_options());
  return options;
}

PredictionOptions prediction_from(const po::variables_map& values) {
  if (!given(values, "platform"))
    throw InputError("--platform: is missing; expected a platform file or specification, such as --platform torus.xml");
  PredictionOptions options;
  options.platform = text_of(values, "platform");
  options.profile = text_of(values, "profile");
  options.network_model = choose("--network-model", text_of(values, "network-model"), kNetworkModels);
  const PlacementOptions where = placement_from(values);
  options.placement = where.placement;
  options.ranks_per_host = where.ranks_per_host;
  options.slow_parts = where.slow_parts;
  options.detail = parse_detail("--detail", text_of(values, "detail"));
  options.real_numerics = choose<bool>("--numerics", text_of(values, "numerics"), {{"phantom", false}, {"real", true}});
  options.compute_scale = factor_from(values, "compute-scale");
  options.bandwidth_scale = factor_from(values, "bandwidth-scale");
  options.latency_scale = factor_from(values, "latency-scale");
  options.extrapolate = given(values, "extrapolate");
  if (given(values, "host-memory"))
    options.host_memory_bytes = static_cast<double>(parse_bytes("--host-memory", text_of(values, "host-memory")));
  if (given(values, "formula-latency"))
    options.formula_latency_s = parse_seconds("--formula-latency", text_of(values, "formula-latency"));
  if (given(values, "formula-bandwidth"))
    options.formula_bandwidth_Bps = parse_bandwidth_Bps("--formula-bandwidth", text_of(values, "formula-bandwidth"));
  return options;
}

}  // namespace simtrain
