// Profile -> JSON, docs/profile.schema.json. One sample a line: a change of one shows as one line.
#include <nlohmann/json.hpp>

#include "calibrate/network_json.hpp"
#include "calibrate/profile_state.hpp"
#include "calibrate/samples_json.hpp"

namespace simtrain {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Certificate& certificate) {
  return {{"machine", certificate.machine},
          {"cpu", certificate.cpu},
          {"blas", certificate.blas},
          {"blas_core_type", certificate.blas_core_type},
          {"environment", certificate.environment},
          {"compiler", certificate.compiler},
          {"threads", certificate.threads},
          {"operands", certificate.operands},
          {"date", certificate.date},
          {"command", certificate.command},
          {"seed", certificate.seed}};
}

Json with_error(Json json, const FitError& error) {
  write_error(json, error);
  return json;
}

Json to_json(Kernel kernel, const KernelFit& fit) {
  Json coefficients = Json::object();
  const std::vector<std::string> names = coefficient_names(kernel);
  for (std::size_t i = 0; i < names.size(); ++i) coefficients[names[i]] = fit.coefficients()[i];
  Json candidates = Json::array();
  for (const KernelFit::Candidate& candidate : fit.candidates())
    candidates.push_back(with_error({{"method", name_of(candidate.method)}}, candidate.error));
  Json regions = Json::array();
  for (const KernelFit::Region& region : fit.regions())
    regions.push_back(with_error({{"region", region.name}}, region.error));
  return {{"method", name_of(fit.method())},
          {"coefficients", coefficients},
          {"candidates", candidates},
          {"regions", regions}};
}

Json to_json(const Sample& sample) {
  Json row = {{"m", sample.call.m}};
  if (has_three_sizes(sample.call.kernel)) {
    row["n"] = sample.call.n;
    row["k"] = sample.call.k;
    if (is_im2col(sample.call.kernel)) row["window"] = sample.call.window;
  }
  row["seconds"] = sample.seconds;
  if (sample.kept_aside) row["kept_aside"] = true;
  return row;
}

// The object "kernels", a line for each fit and each sample. What is as in `alone` is not said again.
std::string to_json(const KernelTimes& times, const KernelTimes* alone) {
  std::string text = "{\n";
  auto groups = by_kernel(times.samples());
  if (alone != nullptr) {
    const auto others = by_kernel(alone->samples());
    std::erase_if(groups, [&](const auto& group) {
      const auto other = others.find(group.first);
      return other != others.end() && other->second == group.second;
    });
  }
  for (const auto& [kernel, samples] : groups) {
    text += "\"" + std::string(name_of(kernel)) + "\": {\n\"fit\": " + to_json(kernel, *times.fit(kernel)).dump() +
            ",\n\"samples\": [\n";
    for (std::size_t i = 0; i < samples.size(); ++i)
      text += to_json(samples[i]).dump() + (i + 1 < samples.size() ? ",\n" : "\n");
    text += kernel == groups.rbegin()->first ? "]}\n" : "]},\n";
  }
  return text + "}";
}

}  // namespace

std::string Profile::to_json() const {
  const Load alone{certificate().threads, 1};
  std::string text = "{\n\"format\": \"simtrain-profile\",\n\"version\": " + std::to_string(kProfileVersion) +
                     ",\n\"certificate\": " + simtrain::to_json(certificate()).dump(1) +
                     ",\n\"kernels\": " + simtrain::to_json(at(alone), nullptr);
  std::string others;
  for (const auto& [load, times] : loads())
    if (load != alone)
      others += std::string(others.empty() ? "" : ",\n") + "{\"threads\": " + std::to_string(load.threads) +
                ", \"processes\": " + std::to_string(load.processes) +
                ", \"kernels\": " + simtrain::to_json(times, &at(alone)) + "}";
  if (!others.empty()) text += ",\n\"loads\": [\n" + others + "]";
  if (!network().empty()) text += ",\n\"network\": " + write_network(network());
  return text + "\n}\n";
}

}  // namespace simtrain
