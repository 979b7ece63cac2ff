// JSON -> Profile, strictly: docs/profile.schema.json says what may stand there.
#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "base/json.hpp"
#include "calibrate/network_json.hpp"
#include "calibrate/profile_state.hpp"
#include "calibrate/samples_json.hpp"

namespace simtrain {
namespace {

Certificate read_certificate(JsonObject object) {
  Certificate certificate;
  certificate.machine = object.text("machine");
  certificate.cpu = object.text("cpu");
  certificate.blas = object.text("blas");
  certificate.blas_core_type = object.text("blas_core_type");
  certificate.environment = object.text("environment");
  certificate.compiler = object.text("compiler");
  certificate.threads = static_cast<int>(object.integer("threads", 1, 1 << 20));
  certificate.operands = object.text("operands");
  certificate.date = object.text("date");
  certificate.command = object.text("command");
  certificate.seed = static_cast<std::uint64_t>(object.integer("seed", 0));
  object.finish();
  return certificate;
}

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

std::vector<Sample> read_samples(Kernel kernel, JsonObject& object) {
  std::vector<Sample> samples;
  std::unordered_set<Call, CallHash> shapes;
  for (std::size_t i = 0; i < object.array("samples").size(); ++i) {
    samples.push_back(read_sample(kernel, object.element("samples", i)));
    if (!shapes.insert(samples.back().call).second)
      object.refuse("samples[" + std::to_string(i) + "]", "this shape stands there twice");
  }
  if (std::all_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.kept_aside; }))
    object.refuse("samples", "expected at least one sample that is not kept aside");
  return samples;
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

KernelTimes read_times(const std::string& path, JsonObject kernels) {
  std::vector<Sample> all;
  std::map<Kernel, KernelFit> fits;
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    if (!kernels.has(kKernelNames[i])) continue;  // estimate() says so, should the kernel be needed
    JsonObject entry = kernels.object(kKernelNames[i]);
    const auto kernel = static_cast<Kernel>(i);
    std::vector<Sample> samples = read_samples(kernel, entry);
    fits.emplace(kernel, read_fit(kernel, samples, entry.object("fit")));
    entry.finish();
    std::move(samples.begin(), samples.end(), std::back_inserter(all));
  }
  kernels.finish();
  return {path, std::move(all), std::move(fits)};
}

}  // namespace

Profile Profile::from_json(const std::string& path, const std::string& text) {
  const nlohmann::json document = parse_json("profile", path, text);
  JsonObject root("profile", path, document);
  if (root.text("format") != "simtrain-profile") root.refuse("format", "expected 'simtrain-profile'");
  root.integer("version", kProfileVersion, kProfileVersion);
  Profile profile;
  profile.state_->path = path;
  profile.state_->certificate = read_certificate(root.object("certificate"));
  profile.add({profile.certificate().threads, 1}, read_times(path, root.object("kernels")));
  if (root.has("loads"))
    for (std::size_t i = 0; i < root.array("loads").size(); ++i) {
      JsonObject entry = root.element("loads", i);
      const Load load{static_cast<int>(entry.integer("threads", 1, 1 << 20)),
                      static_cast<int>(entry.integer("processes", 1, 1 << 20))};
      if (profile.loads().contains(load)) entry.refuse("processes", "this load stands there twice");
      profile.add(load, read_times(path, entry.object("kernels")));
      entry.finish();
    }
  if (root.has("network")) profile.set_network(read_network(root.object("network")));
  root.finish();
  return profile;
}

}  // namespace simtrain
