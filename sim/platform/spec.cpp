#include "sim/platform/spec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/units.hpp"
#include "sim/platform/shape_checks.hpp"

namespace simtrain {

namespace {

using enum PlatformFamily;

struct Family {
  std::string_view name;
  PlatformFamily family;
  LinkFigures link;                    // defaults
  std::vector<std::string_view> keys;  // its own, besides those that all have
};

const std::vector<Family>& families() {
  static const std::vector<Family> all{
      {"torus", torus, {6e9, 400e-9}, {}},
      {"fat-tree", fat_tree, {6e9, 500e-9}, {"up", "cables", "uplink-bandwidth", "uplink-latency"}},
      {"leaf-spine", leaf_spine, {25e9 / 8, 5e-6}, {"spines", "cables", "uplink-bandwidth", "uplink-latency"}},
      {"dragonfly",
       dragonfly,
       {25e9, 400e-9},
       {"global", "local-bandwidth", "local-latency", "global-bandwidth", "global-latency"}},
      {"ethernet", ethernet, {1.25e9, 10e-6}, {"backbone"}},
      {"crossbar", crossbar, {6e9, 2e-6}, {}},
      {"node", node, {kLoopbackBandwidth_Bps, kLoopbackLatency_s}, {}},
  };
  return all;
}
constexpr LinkFigures kLeafSpineUplink{100e9 / 8, 1e-6};
constexpr double kGlobalLatency_s = 500e-9;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::vector<int> parse_shape(const std::string& what, std::string_view text) {
  std::vector<int> shape;
  for (const std::string_view part : split(text, 'x'))
    shape.push_back(static_cast<int>(parse_integer(what, part, 1, kMostHosts)));
  return shape;
}

const Family& find_family(const std::string& who, std::string_view name) {
  std::vector<std::string> names;
  for (const Family& family : families()) {
    if (family.name == name) return family;
    names.emplace_back(family.name);
  }
  throw InputError(who + ": " + unknown_choice("family", name, names));
}

std::vector<std::string> keys_of(const Family& family) {
  std::vector<std::string> keys{"bandwidth", "latency", "memory"};
  if (family.family != node)
    for (const char* key : {"cores", "inside", "inside-latency", "inside-total"}) keys.emplace_back(key);
  keys.insert(keys.end(), family.keys.begin(), family.keys.end());
  return keys;
}

std::string long_name(std::string_view key) {
  if (key == "bw") return "bandwidth";
  if (key == "lat") return "latency";
  return std::string(key);
}

// The keys that were given. Each is asked for by its type.
class Keys {
 public:
  Keys(std::string who, const std::vector<std::string>& known, const std::vector<std::string_view>& pairs)
      : who_(std::move(who)) {
    for (const std::string_view pair : pairs) {
      const std::size_t equals = pair.find('=');
      const std::string key = long_name(pair.substr(0, equals));
      if (std::find(known.begin(), known.end(), key) == known.end())
        throw InputError(who_ + ": " + unknown_choice("key", key, known));
      if (equals == std::string_view::npos) throw InputError(what(key) + ": has no value; expected " + key + "=VALUE");
      if (!values_.emplace(key, pair.substr(equals + 1)).second)
        throw InputError(what(key) + ": is given twice; expected once");
    }
  }

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  [[nodiscard]] double bandwidth_Bps(const std::string& key, double fallback) const {
    return has(key) ? parse_bandwidth_Bps(what(key), values_.at(key)) : fallback;
  }
  [[nodiscard]] LinkFigures link(const std::string& bandwidth, const std::string& latency, LinkFigures fallback) const {
    return {bandwidth_Bps(bandwidth, fallback.bandwidth_Bps),
            has(latency) ? parse_seconds(what(latency), values_.at(latency)) : fallback.latency_s};
  }
  [[nodiscard]] std::optional<double> bandwidth_Bps(const std::string& key) const {
    return has(key) ? std::optional(bandwidth_Bps(key, 0)) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::int64_t> bytes(const std::string& key) const {
    return has(key) ? std::optional(parse_bytes(what(key), values_.at(key))) : std::nullopt;
  }
  [[nodiscard]] std::optional<int> number(const std::string& key) const {
    if (!has(key)) return std::nullopt;
    return static_cast<int>(parse_integer(what(key), values_.at(key), 1, kMostHosts));
  }
  [[nodiscard]] std::vector<int> numbers(const std::string& key) const {
    return has(key) ? parse_shape(what(key), values_.at(key)) : std::vector<int>{};
  }

 private:
  [[nodiscard]] std::string what(const std::string& key) const { return who_ + ", key '" + key + "'"; }

  std::string who_;
  std::map<std::string, std::string_view> values_;
};

void read_links(PlatformSpec& spec, const Keys& keys, const LinkFigures& fallback) {
  const LinkFigures host = keys.link("bandwidth", "latency", fallback);
  spec.bandwidth_Bps = host.bandwidth_Bps;
  spec.latency_s = host.latency_s;
  spec.between_switches = spec.between_groups = host;
  if (spec.family == fat_tree) spec.between_switches = keys.link("uplink-bandwidth", "uplink-latency", host);
  if (spec.family == leaf_spine)
    spec.between_switches = keys.link("uplink-bandwidth", "uplink-latency", kLeafSpineUplink);
  if (spec.family == dragonfly) {
    spec.between_switches = keys.link("local-bandwidth", "local-latency", host);
    spec.between_groups = keys.link("global-bandwidth", "global-latency", {host.bandwidth_Bps, kGlobalLatency_s});
  }
  spec.backbone_Bps = keys.bandwidth_Bps("backbone");
}

void read_inside(PlatformSpec& spec, const Keys& keys) {
  spec.memory_bytes = keys.bytes("memory");
  spec.inside.cores = keys.number("cores");
  spec.inside.link = keys.link("inside", "inside-latency", spec.inside.link);
  spec.inside.total_Bps = keys.bandwidth_Bps("inside-total");
}

// What is given for the switches; the rest follows from the shape, which has been checked.
void read_switches(PlatformSpec& spec, const Keys& keys) {
  if (spec.family == fat_tree) {
    spec.uplinks = keys.has("up") ? keys.numbers("up") : std::vector<int>(spec.shape.begin(), spec.shape.end() - 1);
    spec.cables = keys.has("cables") ? keys.numbers("cables") : std::vector<int>(spec.uplinks.size(), 1);
  }
  if (spec.family == leaf_spine) {
    const int cables = keys.number("cables").value_or(1);
    const double spine_Bps = cables * spec.between_switches.bandwidth_Bps;
    // A hair less, lest 25 + 25 + 25 + 25 Gbit/s need more than 100.
    const double needed = std::ceil(spec.shape[1] * spec.bandwidth_Bps / spine_Bps * (1 - 1e-12));
    const int enough = static_cast<int>(std::min(needed, static_cast<double>(kMostHosts) + 1));
    spec.uplinks = {keys.number("spines").value_or(enough)};
    spec.cables = {cables};
  }
  if (spec.family == dragonfly) {
    const int groups = spec.shape[0], routers = spec.shape[1], needed = (groups - 1 + routers - 1) / routers;
    spec.global_ports = keys.number("global").value_or(std::max(spec.shape[2], needed));
  }
}

}  // namespace

bool is_platform_spec(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_'; });
}

PlatformSpec parse_platform_spec(std::string_view text) {
  const std::string who = "platform '" + std::string(text) + "'";
  const std::size_t colon = text.find(':');
  const Family& family = find_family(who, text.substr(0, colon));
  std::vector<std::string_view> parts = split(colon == std::string_view::npos ? "" : text.substr(colon + 1), ',');
  PlatformSpec spec;
  spec.family = family.family;
  spec.shape = parse_shape(who + ", shape", parts.front());
  parts.erase(parts.begin());
  const Keys keys(who, keys_of(family), parts);
  read_links(spec, keys, family.link);
  read_inside(spec, keys);
  check_hosts(who, spec);
  read_switches(spec, keys);
  check_switches(who, spec);
  if (spec.family == node && spec.memory_bytes)
    spec.memory_bytes = std::max<std::int64_t>(1, *spec.memory_bytes / spec.hosts());
  return spec;
}

std::int64_t PlatformSpec::hosts() const {
  std::int64_t product = 1;
  for (const int side : shape) product *= side;
  return product;
}

std::vector<int> PlatformSpec::downlinks() const {
  return family == leaf_spine ? std::vector<int>{shape[1], shape[0]} : shape;
}

std::int64_t PlatformSpec::global_cables() const {
  if (family != dragonfly || shape[0] == 1) return 0;
  return std::int64_t{shape[1]} * global_ports / (shape[0] - 1);
}

}  // namespace simtrain
