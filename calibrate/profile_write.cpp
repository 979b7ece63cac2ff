// Profile -> JSON, docs/profile.schema.json. One sample a line: a change of one shows as one line.
#include <nlohmann/json.hpp>

#include "calibrate/network_json.hpp"
#include "calibrate/profile_state.hpp"

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

Json to_json(const KernelFit::Candidate& candidate) {
  return {{"method", name_of(candidate.method)},
          {"samples", candidate.error.samples},
          {"median_error", candidate.error.median},
          {"percentile95_error", candidate.error.percentile95},
          {"worst_error", candidate.error.worst}};
}

Json to_json(Kernel kernel, const KernelFit& fit) {
  Json coefficients = Json::object();
  const std::vector<std::string> names = term_names(kernel);
  for (std::size_t i = 0; i < names.size(); ++i) coefficients[names[i]] = fit.coefficients()[i];
  Json candidates = Json::array();
  for (const KernelFit::Candidate& candidate : fit.candidates()) candidates.push_back(to_json(candidate));
  return {{"method", name_of(fit.method())}, {"coefficients", coefficients}, {"candidates", candidates}};
}

Json to_json(const Sample& sample) {
  Json row = {{"m", sample.call.m}};
  if (has_three_sizes(sample.call.kernel)) {
    row["n"] = sample.call.n;
    row["k"] = sample.call.k;
  }
  row["seconds"] = sample.seconds;
  if (sample.kept_aside) row["kept_aside"] = true;
  return row;
}

}  // namespace

std::string Profile::to_json() const {
  const int version = network().empty() ? 1 : 2;
  std::string text = "{\n\"format\": \"simtrain-profile\",\n\"version\": " + std::to_string(version) +
                     ",\n\"certificate\": " + simtrain::to_json(state_->certificate).dump(1) + ",\n\"kernels\": {\n";
  const auto groups = by_kernel(state_->samples);
  for (const auto& [kernel, samples] : groups) {
    text += "\"" + std::string(name_of(kernel)) +
            "\": {\n\"fit\": " + simtrain::to_json(kernel, state_->fits.at(kernel)).dump() + ",\n\"samples\": [\n";
    for (std::size_t i = 0; i < samples.size(); ++i)
      text += simtrain::to_json(samples[i]).dump() + (i + 1 < samples.size() ? ",\n" : "\n");
    text += kernel == groups.rbegin()->first ? "]}\n" : "]},\n";
  }
  return text + (network().empty() ? "}\n}\n" : "},\n\"network\": " + write_network(network()) + "\n}\n");
}

}  // namespace simtrain
