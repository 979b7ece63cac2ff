// JSON -> Profile, strictly: docs/profile.schema.json says what may stand there.
#include <memory>

#include "base/json.hpp"
#include "calibrate/kernel_read.hpp"
#include "calibrate/network_json.hpp"
#include "calibrate/profile_state.hpp"

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

// The kernels of an object at `place`, each of which is a text yet (is_left).
KernelTimes read_times(const std::string& path, JsonObject kernels, const std::string& place) {
  std::map<Kernel, KernelTimes::Read> reads;
  for (std::size_t i = 0; i < kKernelCount; ++i) {
    if (!kernels.has(kKernelNames[i])) continue;  // estimate() says so, should the kernel be needed
    const auto kernel = static_cast<Kernel>(i);
    auto text = std::make_shared<const std::string>(kernels.text(kKernelNames[i]));
    reads.emplace(kernel, [=] { return read_kernel(kernel, path, place + "." + std::string(name_of(kernel)), *text); });
  }
  kernels.finish();
  return {path, std::move(reads)};
}

bool is_left(std::string_view parent, std::string_view key) {
  return parent == "kernels" || (parent.empty() && key == "network");
}

}  // namespace

Profile Profile::in_parts(const std::string& path, const std::string& text) {
  const nlohmann::json document = parse_json("profile", path, text, is_left);
  JsonObject root("profile", path, document);
  if (root.text("format") != "simtrain-profile") root.refuse("format", "expected 'simtrain-profile'");
  root.integer("version", kProfileVersion, kProfileVersion);
  Profile profile;
  profile.state_->path = path;
  profile.state_->certificate = read_certificate(root.object("certificate"));
  profile.add({profile.certificate().threads, 1}, read_times(path, root.object("kernels"), "kernels"));
  if (root.has("loads"))
    for (std::size_t i = 0; i < root.array("loads").size(); ++i) {
      JsonObject entry = root.element("loads", i);
      const Load load{static_cast<int>(entry.integer("threads", 1, 1 << 20)),
                      static_cast<int>(entry.integer("processes", 1, 1 << 20))};
      if (profile.loads().contains(load)) entry.refuse("processes", "this load stands there twice");
      const std::string place = "loads[" + std::to_string(i) + "].kernels";
      profile.add(load, read_times(path, entry.object("kernels"), place));
      entry.finish();
    }
  if (root.has("network"))
    profile.state_->read_network = [path, of_network = root.text("network")] {
      const nlohmann::json section = parse_json("profile", path, of_network);
      return read_network(JsonObject("profile", path, section, "network"));
    };
  root.finish();
  return profile;
}

Profile Profile::from_json(const std::string& path, const std::string& text) {
  Profile profile = in_parts(path, text);
  for (const auto& [load, times] : profile.loads())
    for (const Kernel kernel : times.kernels()) (void)times.fit(kernel);
  (void)profile.network();
  return profile;
}

}  // namespace simtrain
