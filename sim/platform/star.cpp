#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/platform/families.hpp"

namespace simtrain {

namespace {

// Up, down, and the backbone, which leads from the switch to itself.
class Star final : public Topology {
 public:
  explicit Star(const PlatformSpec& spec) : Topology(static_cast<std::int32_t>(spec.hosts()), 1) {
    // A route crosses two links: half of the latency of a crossbar's route on each adds up to exactly the whole.
    const double latency_s = spec.family == PlatformFamily::ethernet ? spec.latency_s : spec.latency_s / 2;
    add_class("host up", hosts(), spec.bandwidth_Bps, latency_s);
    add_class("host down", hosts(), spec.bandwidth_Bps, latency_s);
    if (spec.backbone_Bps) backbone_ = add_class("backbone", 1, *spec.backbone_Bps, spec.backbone_latency_s);
  }

  void route(std::int32_t from, std::int32_t to, std::vector<std::int32_t>& links) const override {
    if (from == to) return;
    links.push_back(from);
    if (backbone_ > 0) links.push_back(backbone_);
    links.push_back(hosts() + to);
  }

  [[nodiscard]] std::pair<std::int32_t, std::int32_t> ends(std::int32_t link) const override {
    if (link < hosts()) return {link, hosts()};
    if (link < 2 * hosts()) return {hosts(), link - hosts()};
    return {hosts(), hosts()};
  }

  [[nodiscard]] std::string place_of(std::int32_t vertex) const override {
    return vertex < hosts() ? "host " + std::to_string(vertex) : "the switch";
  }

  [[nodiscard]] Point position_of(std::int32_t vertex) const override {
    if (vertex == hosts()) return {};
    const double angle = 2 * std::numbers::pi * vertex / hosts(),
                 radius = std::max(3.0, hosts() / (2 * std::numbers::pi));
    return {radius * std::sin(angle), radius * std::cos(angle)};
  }

 private:
  std::int32_t backbone_ = 0;
};

}  // namespace

std::unique_ptr<Topology> make_star(const PlatformSpec& spec) { return std::make_unique<Star>(spec); }

}  // namespace simtrain
