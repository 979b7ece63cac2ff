#include "calibrate/kernel_read.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "calibrate/plain_samples.hpp"
#include "calibrate/samples_json.hpp"

namespace simtrain {
namespace {

Sample read_sample(Kernel kernel, JsonObject row) {
  Sample sample;
  sample.call = {kernel, row.integer("m", 1)};
  if (has_three_sizes(kernel)) {
    sample.call.n = row.integer("n", 1);
    sample.call.k = row.integer("k", 1);
    if (is_im2col(kernel)) sample.call.window = row.integer("window", 1);
  }
  sample.seconds = read_seconds(row);
  sample.kept_aside = row.boolean_or("kept_aside", false);
  row.finish();
  return sample;
}

// One by one, to say what is wrong with which.
std::vector<Sample> read_each(Kernel kernel, JsonObject list) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < list.array("samples").size(); ++i)
    samples.push_back(read_sample(kernel, list.element("samples", i)));
  return samples;
}

std::vector<Sample> read_samples(Kernel kernel, const std::string& path, const std::string& place, JsonObject& entry) {
  const std::string text = entry.text("samples");
  std::optional<std::vector<Sample>> samples = read_plain_samples(kernel, text);
  if (!samples) {
    const nlohmann::json list{{"samples", parse_json("profile", path, text)}};
    samples = read_each(kernel, JsonObject("profile", path, list, place));
  }
  std::unordered_set<Call, CallHash> shapes;
  for (std::size_t i = 0; i < samples->size(); ++i)
    if (!shapes.insert((*samples)[i].call).second)
      entry.refuse("samples[" + std::to_string(i) + "]", "this shape stands there twice");
  if (std::all_of(samples->begin(), samples->end(), [](const Sample& sample) { return sample.kept_aside; }))
    entry.refuse("samples", "expected at least one sample that is not kept aside");
  return *std::move(samples);
}

FitMethod read_method(Kernel kernel, JsonObject& object) {
  const std::string text = object.text("method");
  std::vector<std::string> known;
  for (const FitMethod method : {FitMethod::polynomial, local_method(kernel)}) {
    if (text == name_of(method)) return method;
    known.emplace_back(name_of(method));
  }
  object.refuse("method", unknown_choice("method", text, known));
}

KernelFit::Candidate read_candidate(Kernel kernel, JsonObject object) {
  const FitMethod method = read_method(kernel, object);
  const FitError error = read_error(object);
  object.finish();
  return {method, error};
}

std::vector<KernelFit::Region> read_regions(JsonObject& fit) {
  std::vector<KernelFit::Region> regions;
  for (std::size_t i = 0; i < fit.array("regions").size(); ++i) {
    JsonObject object = fit.element("regions", i);
    const std::string name = object.text("region");
    regions.push_back({name, read_error(object)});
    object.finish();
  }
  return regions;
}

std::vector<double> read_coefficients(Kernel kernel, JsonObject object) {
  std::vector<double> coefficients;
  constexpr double kMostWork = 1e18;  // the split is an mnk, the others are seconds
  for (const std::string& name : coefficient_names(kernel))
    coefficients.push_back(object.number(name, 0, name == "split" ? kMostWork : kLongest_s));
  object.finish();
  return coefficients;
}

KernelFit read_fit(Kernel kernel, const std::vector<Sample>& samples, JsonObject object) {
  const FitMethod method = read_method(kernel, object);
  std::vector<KernelFit::Candidate> candidates;
  for (std::size_t i = 0; i < object.array("candidates").size(); ++i)
    candidates.push_back(read_candidate(kernel, object.element("candidates", i)));
  if (std::none_of(candidates.begin(), candidates.end(), [&](const auto& one) { return one.method == method; }))
    object.refuse("method", "'" + std::string(name_of(method)) + "' is not among the candidates");
  std::vector<double> coefficients = read_coefficients(kernel, object.object("coefficients"));
  std::vector<KernelFit::Region> regions = read_regions(object);
  object.finish();
  return {kernel, samples, std::move(coefficients), std::move(candidates), method, std::move(regions)};
}

}  // namespace

MeasuredKernel read_kernel(Kernel kernel, const std::string& path, const std::string& place, const std::string& text) {
  const nlohmann::json document = parse_json("profile", path, text, [](std::string_view parent, std::string_view key) {
    return parent.empty() && key == "samples";
  });
  JsonObject entry("profile", path, document, place);
  std::vector<Sample> samples = read_samples(kernel, path, place, entry);
  KernelFit fit = read_fit(kernel, samples, entry.object("fit"));
  entry.finish();
  return {std::move(samples), std::move(fit)};
}

}  // namespace simtrain
